// SPDX-License-Identifier: Apache-2.0
//
// A server for gdb's remote serial protocol, at a port of this machine, for a processor of RV32 that can be looked at, and
// whose memory can be written to, before it does an instruction.  Its registers cannot be written to: instructions behind
// that one have read them.
//
// Who runs the processor asks `stops` before each instruction, and lets gdb look at it (`serve`) if it does.
#ifndef CARILLON_RTL_GDB_H
#define CARILLON_RTL_GDB_H

#include <arpa/inet.h>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <set>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "plugin.h"

class Gdb
{
  public:
    // What a processor that stands shows.  Memory answers whether there is any at an address.
    class Target
    {
      public:
        virtual uint32_t inspect(unsigned number) = 0; // as gdb numbers them; not the program counter
        virtual bool read(uint32_t address, uint8_t &byte) = 0;
        virtual bool write(uint32_t address, uint8_t byte) = 0;

      protected:
        ~Target() = default;
    };

    // Listens; gdb connects before anything runs.  False if the port is not free.
    bool listen_at(int port)
    {
        const int listener = ::socket(AF_INET, SOCK_STREAM, 0), on = 1;
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        (void)::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (::bind(listener, reinterpret_cast<sockaddr *>(&address), sizeof address) != 0 ||
            ::listen(listener, 1) != 0) {
            return false;
        }
        connection = ::accept(listener, nullptr, nullptr);
        (void)::setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        (void)::close(listener);
        return connection >= 0;
    }

    // Does the processor stop before the instruction at an address?
    bool stops(uint32_t pc) const
    {
        return signal != 0 || breakpoints.count(pc) != 0;
    }

    // Stop before the next instruction, for the reason that a signal of POSIX tells.
    void stop(int why)
    {
        signal = why;
    }

    // Has gdb asked the processor to stop?  Then it stops before the next instruction.
    bool interrupted()
    {
        char byte;
        const ssize_t size = ::recv(connection, &byte, 1, MSG_DONTWAIT);
        if (size == 0) {
            plugin_exit(0); // gdb has ended
        }
        if (size == 1 && byte == INTERRUPT) {
            signal = SIGINT;
        }
        return signal == SIGINT;
    }

    // The next instruction accesses bytes of a word.  As a trigger of RISC-V, which gdb relies on: the stop is before it.
    void watch(uint32_t address, unsigned enabled, bool store)
    {
        for (const Watch &watch : watches) {
            bool within = false;
            for (unsigned byte = 0; byte < 4; byte++) {
                within = within || ((enabled >> byte & 1u) != 0 && (address & ~3u) + byte - watch.address < watch.size);
            }
            if (within && watch.kind != (store ? '3' : '2')) {
                signal = SIGTRAP;
                watched = std::string(watch.kind == '2'   ? ""
                                      : watch.kind == '3' ? "r"
                                                          : "a") +
                          "watch:" + hex(watch.address) + ";";
            }
        }
    }

    // Talk with gdb until the processor goes on.
    void serve(uint32_t pc, Target &target)
    {
        char why[8];
        std::fflush(stdout);
        std::snprintf(why, sizeof why, "T%02x", signal != 0 ? signal : SIGTRAP);
        stopped = why + watched;
        watched.clear();
        signal = 0;
        if (begun) {
            send(stopped);
        }
        begun = true;
        while (!carry_out(receive(), pc, target)) {
        }
    }

  private:
    static constexpr unsigned REGISTERS = 41, PC = 32;
    static constexpr size_t MOST = 0x1000; // of a packet
    static constexpr char INTERRUPT = 3;
    static constexpr const char *FAULTY = "E01";

    struct Watch {
        char kind; // as in the packet: '2' for stores, '3' for loads, '4' for both
        uint32_t address, size;
    };

    static std::string description()
    {
        std::string text = "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target version=\"1.0\">"
                           "<architecture>riscv:rv32</architecture><feature name=\"org.gnu.gdb.riscv.cpu\">";
        for (const char *name :
             {"zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1",  "a0",  "a1", "a2", "a3", "a4", "a5", "a6",
              "a7",   "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6", "pc"}) {
            text += described(name, std::strcmp(name, "pc") == 0 ? "code_ptr" : "int");
        }
        text += "</feature><feature name=\"org.gnu.gdb.riscv.csr\">";
        for (const char *name :
             {"mstatus", "mtvec", "mtvt", "mscratch", "mepc", "mcause", "mintstatus", "mintthresh"}) { // as in soc.sv
            text += described(name, "int");
        }
        return text + "</feature></target>";
    }

    static std::string described(const char *name, const char *type)
    {
        return std::string("<reg name=\"") + name + "\" bitsize=\"32\" type=\"" + type + "\"/>";
    }

    static std::string hex(uint32_t value)
    {
        char text[9];
        std::snprintf(text, sizeof text, "%x", value);
        return text;
    }

    // A packet's bytes; one that is damaged is asked for again.  Between packets gdb may ask for a stop, which it has.
    std::string receive()
    {
        for (;;) {
            while (next() != '$') {
            }
            std::string text;
            unsigned sum = 0;
            for (char byte = next(); byte != '#'; byte = next()) {
                text += byte;
                sum += static_cast<uint8_t>(byte);
            }
            const char check[] = {next(), next(), '\0'};
            if (std::strtoul(check, nullptr, 16) == (sum & 0xFFu)) {
                put("+");
                return text;
            }
            put("-");
        }
    }

    char next()
    {
        char byte;
        if (::recv(connection, &byte, 1, 0) != 1) {
            plugin_exit(0); // gdb has ended
        }
        return byte;
    }

    void send(const std::string &text)
    {
        unsigned sum = 0;
        for (const char byte : text) {
            sum += static_cast<uint8_t>(byte);
        }
        char check[4];
        std::snprintf(check, sizeof check, "#%02x", sum & 0xFFu);
        put("$" + text + check);
    }

    void put(const std::string &text)
    {
        for (size_t sent = 0; sent < text.size();) {
            const ssize_t size = ::send(connection, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
            if (size <= 0) {
                plugin_exit(0);
            }
            sent += static_cast<size_t>(size);
        }
    }

    // A register as gdb wants it: its bytes, the lowest first.
    static std::string shown(unsigned number, uint32_t pc, Target &target)
    {
        const uint32_t value = number == PC ? pc : target.inspect(number);
        char text[9];
        std::snprintf(text, sizeof text, "%08x", __builtin_bswap32(value));
        return text;
    }

    // Carry out a packet and answer it; true if the processor goes on, which is the answer then.
    bool carry_out(const std::string &packet, uint32_t pc, Target &target)
    {
        const char kind = packet.empty() ? '\0' : packet[0];
        const bool resumes = packet.compare(0, 6, "vCont;") == 0 && packet.size() > 6;
        const char how = resumes ? packet[6] : kind;
        unsigned first = 0, second = 0;
        int end = 0;
        if (how == 's' || how == 'c' || (resumes && (how == 'S' || how == 'C'))) {
            if (!resumes && packet.size() > 1) {
                send(FAULTY); // from another address
                return false;
            }
            signal = how == 's' || how == 'S' ? SIGTRAP : 0;
            return true;
        }
        if (packet == "vCont?") {
            send("vCont;c;C;s;S");
        } else if (kind == '?') {
            send(stopped);
        } else if (kind == 'g') {
            std::string all;
            for (unsigned number = 0; number < REGISTERS; number++) {
                all += shown(number, pc, target);
            }
            send(all);
        } else if (std::sscanf(packet.c_str(), "p%x", &first) == 1) {
            send(first < REGISTERS ? shown(first, pc, target) : FAULTY);
        } else if (kind == 'G' || kind == 'P') {
            send(FAULTY);
        } else if (std::sscanf(packet.c_str(), "m%x,%x", &first, &second) == 2) {
            send(read(first, second, target));
        } else if (std::sscanf(packet.c_str(), "M%x,%x:%n", &first, &second, &end) == 2 && end != 0) {
            send(write(first, second, packet.substr(end), target));
        } else if (std::sscanf(packet.c_str(), "%*[Zz]%*[0-4],%x,%x", &first, &second) == 2) {
            mark(kind == 'Z', packet[1], first, second);
            send("OK");
        } else if (std::sscanf(packet.c_str(), "qXfer:features:read:target.xml:%x,%x", &first, &second) == 2) {
            const std::string text = description();
            const std::string part = first < text.size() ? text.substr(first, second) : "";
            send((first + part.size() < text.size() ? "m" : "l") + part);
        } else if (packet.compare(0, 10, "qSupported") == 0) {
            send("PacketSize=" + hex(MOST) + ";qXfer:features:read+");
        } else if (packet == "qAttached") {
            send("0"); // gdb ends the run when it ends
        } else if (kind == 'H') {
            send("OK");
        } else if (kind == 'D' || kind == 'k' || packet.compare(0, 5, "vKill") == 0) {
            if (kind != 'k') {
                send("OK");
            }
            plugin_exit(0);
        } else {
            send(""); // no such thing here
        }
        return false;
    }

    static std::string read(uint32_t address, uint32_t size, Target &target)
    {
        std::string text;
        uint8_t byte;
        for (uint32_t at = 0; at < size && 2 * at < MOST && target.read(address + at, byte); at++) {
            char digits[3];
            std::snprintf(digits, sizeof digits, "%02x", byte);
            text += digits;
        }
        return text.empty() ? FAULTY : text;
    }

    static std::string write(uint32_t address, uint32_t size, const std::string &digits, Target &target)
    {
        uint8_t byte;
        for (uint32_t at = 0; at < size; at++) {
            if (digits.size() < 2 * (at + 1) || !target.read(address + at, byte)) {
                return FAULTY; // and nothing is written
            }
        }
        for (uint32_t at = 0; at < size; at++) {
            target.write(address + at, static_cast<uint8_t>(std::stoul(digits.substr(2 * at, 2), nullptr, 16)));
        }
        return "OK";
    }

    void mark(bool set, char kind, uint32_t address, uint32_t size)
    {
        if (kind < '2') {
            if (set) {
                breakpoints.insert(address);
            } else {
                breakpoints.erase(address);
            }
            return;
        }
        std::erase_if(watches, [&](const Watch &watch) {
            return watch.kind == kind && watch.address == address && watch.size == size;
        });
        if (set) {
            watches.push_back({kind, address, size});
        }
    }

    int connection = -1;
    bool begun = false;   // gdb asks for the reason of the first stop
    int signal = SIGTRAP; // why the processor stops before the next instruction, or 0
    std::string watched, stopped;
    std::set<uint32_t> breakpoints;
    std::vector<Watch> watches;
};

#endif
