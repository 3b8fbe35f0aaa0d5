/* SPDX-License-Identifier: Apache-2.0 */
void elsewhere(void);
void a(void);
void a(void)
{
    elsewhere();
}
