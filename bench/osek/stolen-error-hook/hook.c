/* SPDX-License-Identifier: Apache-2.0 */
#include "os.h"

void ErrorHook(StatusType error)
{
    (void)error;
}
