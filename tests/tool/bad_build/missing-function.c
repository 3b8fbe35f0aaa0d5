/* SPDX-License-Identifier: Apache-2.0 */
void inject(void);
void inject(void)
{
}
static void Ignition(void)
{
}
void (*const unused)(void) = Ignition;
