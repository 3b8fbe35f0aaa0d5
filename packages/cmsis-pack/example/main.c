/* SPDX-License-Identifier: Apache-2.0 */
#include "carillon/osektime.h"

int main(void)
{
    ttStartOS(ttOS_DEFAULTAPPMODE);
}
