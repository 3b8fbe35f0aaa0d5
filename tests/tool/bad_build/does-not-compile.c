/* SPDX-License-Identifier: Apache-2.0 */
void a(void)
{
    return 1
}
