// SPDX-License-Identifier: Apache-2.0
//
// Timers start Blink and Sample.  loop runs in the time that they leave, and may wait as long as it likes.
#include <Arduino.h>
#include <Carillon.h>

static volatile unsigned samples;
static volatile int last;

ttTASK(Blink)
{
    digitalWrite(LED_BUILTIN, !digitalRead(LED_BUILTIN));
}

ttTASK(Sample)
{
    last = analogRead(A0);
    samples++;
}

void ttIdleTask()
{
    for (;;) {
        loop();
    }
}

void setup()
{
    Serial.begin(115200);
    pinMode(LED_BUILTIN, OUTPUT);
    ttStartOS(ttOS_DEFAULTAPPMODE); // does not return
}

void loop()
{
    noInterrupts();
    const unsigned taken = samples;
    interrupts();
    Serial.print(F("samples "));
    Serial.println(taken);
    delay(50);
}
