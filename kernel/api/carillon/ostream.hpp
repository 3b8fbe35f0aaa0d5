/* SPDX-License-Identifier: Apache-2.0
 *
 * Text from C++, through the console (carillon/console.h): OStream of EPOS, with what its programs hand to it.
 *
 *     OStream cout;
 *     cout << "Elapsed time: " << chron.read() << endl;
 *
 * As in EPOS:
 *
 * - The base is 10 at first, and after each endl.  hex, oct, bin and dec choose another one.
 * - A hexadecimal number above 256 begins with 0x, and an octal one with 0.  A negative number is a minus sign and its
 *   absolute value, whatever the base.
 * - A char is a character.  A signed or unsigned char is a number.  A pointer has all of its digits after 0x.
 *
 * Numbers with a fraction do not compile.  A stream needs no memory but its base, and no buffer but the digits of a
 * decimal number. */
#ifndef CARILLON_OSTREAM_HPP
#define CARILLON_OSTREAM_HPP

#include <stdint.h>

#include "carillon/console.h"

namespace carillon
{

/* What is printed. */
class OStream
{
  public:
    struct Endl {
    };
    struct Base {
        uint8_t bits; /* of a digit; 0: decimal */
    };

    OStream &operator<<(Endl)
    {
        carillon_console_put('\n');
        base = 0u;
        return *this;
    }
    OStream &operator<<(Base other)
    {
        base = other.bits;
        return *this;
    }
    OStream &operator<<(char character)
    {
        carillon_console_put(character);
        return *this;
    }
    OStream &operator<<(const char *text)
    {
        carillon_print(text);
        return *this;
    }
    OStream &operator<<(int number)
    {
        return integer<unsigned>(number);
    }
    OStream &operator<<(unsigned number)
    {
        return magnitude(number);
    }
    OStream &operator<<(long number)
    {
        return integer<unsigned long>(number);
    }
    OStream &operator<<(unsigned long number)
    {
        return magnitude(number);
    }
    OStream &operator<<(long long number)
    {
        return integer<unsigned long long>(number);
    }
    OStream &operator<<(unsigned long long number)
    {
        return magnitude(number);
    }
    OStream &operator<<(const void *pointer)
    {
        carillon_print("0x");
        digits(reinterpret_cast<uintptr_t>(pointer), 4u, static_cast<uint8_t>(2u * sizeof(pointer)));
        return *this;
    }
    OStream &operator<<(double) = delete; /* no fractions */

  private:
    template <typename Unsigned, typename Signed> OStream &integer(Signed number)
    {
        if (number < 0) {
            carillon_console_put('-');
            return magnitude(static_cast<Unsigned>(0u - static_cast<Unsigned>(number)));
        }
        return magnitude(static_cast<Unsigned>(number));
    }

    template <typename Unsigned> OStream &magnitude(Unsigned number)
    {
        if (base == 0u) {
            decimal(number);
            return *this;
        }
        if ((base != 1u) && (number > 256u)) {
            carillon_print((base == 4u) ? "0x" : "0");
        }
        uint8_t count = 1u;
        while ((count * base < 8u * sizeof(number)) && ((number >> (count * base)) != 0u)) {
            count++;
        }
        digits(number, base, count);
        return *this;
    }

    /* So many digits of so many bits each. */
    template <typename Unsigned> static void digits(Unsigned number, uint8_t bits, uint8_t count)
    {
        for (uint8_t left = count; left != 0u; left--) {
            const auto digit =
                static_cast<uint8_t>(static_cast<uint8_t>(number >> ((left - 1u) * bits)) & ((1u << bits) - 1u));
            carillon_console_put(static_cast<char>((digit < 10u) ? ('0' + digit) : ('a' + (digit - 10))));
        }
    }

    template <typename Unsigned> static void decimal(Unsigned number)
    {
        char digits[(sizeof(number) * 5u + 1u) / 2u]; /* a byte has less than two and a half */
        uint8_t count = 0u;
        do {
            digits[count] = static_cast<char>('0' + static_cast<char>(number % 10u));
            count++;
            number = static_cast<Unsigned>(number / 10u);
        } while (number != 0u);
        while (count != 0u) {
            count--;
            carillon_console_put(digits[count]);
        }
    }

    uint8_t base = 0u; /* the bits of a digit; 0: decimal */
};

constexpr OStream::Endl endl{};
constexpr OStream::Base dec{0u};
constexpr OStream::Base bin{1u};
constexpr OStream::Base oct{3u};
constexpr OStream::Base hex{4u};

} // namespace carillon

#endif
