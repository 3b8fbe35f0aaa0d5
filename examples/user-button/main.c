/* SPDX-License-Identifier: Apache-2.0
 *
 * A button starts an ISR, which starts a task.  The schedule says at which pin of an STM32F4 the button is, and which
 * level it has while it is down. */
#include "os.h"

#include "carillon/console.h"

DeclareTask(Press);

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define RCC_AHB1ENR REGISTER(0x40023830u)
#define RCC_APB2ENR REGISTER(0x40023844u)
#define SYSCFGEN (1u << 14)
#define SYSCFG_EXTICR REGISTER(0x40013808u + 4u * (BUTTON_PIN / 4u))
#define EXTI_IMR REGISTER(0x40013C00u)
#define EXTI_EDGE REGISTER(0x40013C08u + (BUTTON_DOWN ? 0u : 4u)) /* RTSR or FTSR */
#define EXTI_PR REGISTER(0x40013C14u)
#define GPIO (0x40020000u + 0x400u * BUTTON_PORT)
#define GPIO_PUPDR REGISTER(GPIO + 0x0Cu)
#define GPIO_IDR REGISTER(GPIO + 0x10u)
#define BIT (1u << BUTTON_PIN)

static uint16_t presses;

/* The other end of the button is where its level is while it is down, and a resistor pulls the pin away from it. */
void StartupHook(void)
{
    RCC_AHB1ENR |= 1u << BUTTON_PORT;
    RCC_APB2ENR |= SYSCFGEN;
    GPIO_PUPDR |= (BUTTON_DOWN ? 2u : 1u) << (2u * BUTTON_PIN);
    SYSCFG_EXTICR = (uint32_t)BUTTON_PORT << (4u * (BUTTON_PIN % 4u));
    EXTI_EDGE = BIT;
    EXTI_IMR = BIT;
}

ISR(Button)
{
    EXTI_PR = BIT;
    (void)ActivateTask(Press);
}

TASK(Press)
{
    presses++;
    carillon_say("presses", presses);
    carillon_say("down", (uint16_t)(((GPIO_IDR & BIT) != 0u) == (BUTTON_DOWN != 0)));
    TerminateTask();
}
