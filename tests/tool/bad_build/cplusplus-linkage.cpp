/* SPDX-License-Identifier: Apache-2.0 */
void Injection()
{
}
void Sensor()
{
}
void ttIdleTask()
{
}
void ErrorHook(unsigned char)
{
}
void ShutdownHook(unsigned char) /* the schedule does not name this hook */
{
}
void ttErrorHook(int) /* not the kernel's */
{
}
void PreTaskHook(int) /* another function of that name */
{
}
extern "C" void PreTaskHook()
{
}
struct Engine {
    void PostTaskHook();
};
void Engine::PostTaskHook()
{
}
extern "C" void PostTaskHook()
{
}
