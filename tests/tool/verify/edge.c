/* SPDX-License-Identifier: Apache-2.0 */
#include "carillon/osektime.h"

void ttStartupHook(void)
{
    (void)ttSyncEdge();
}
