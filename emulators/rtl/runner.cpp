// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Runs an image on soc.sv, cycle by cycle, and lets QEMU's tracing plugin (plugin.c) watch what is retired.
//
// Arguments: the clock's rate, the image, those of the plugin (map=FILE, out=FILE, ...), and
// - waits=N, the wait states of the memory;
// - vcd=FILE, a waveform from reset on, and vcd_cycles=N, of so many cycles at most;
// - log=FILE, a line for each instruction that is executed, each access to the memory's data, and each request of a cell.
// Or gdb=PORT in place of the plugin's: the processor waits for gdb there, and nothing is recorded.  While it stands, no cycle
// passes: all is as without gdb.
//
// Memory is 1 MiB at address 0.  A byte that is stored at CONSOLE goes to standard output.
//
// An instruction's time is the cycle in which it is executed, that before the one in which it is retired: a store is on
// the bus then.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <elf.h>
#include <vector>

#include "Vsoc.h"
#include "verilated.h"
#if VM_TRACE
#include "verilated_vcd_c.h"
#endif

#include "gdb.h"
#include "plugin.h"

namespace
{

constexpr uint32_t MEMORY_BYTES = 1u << 20;
constexpr uint32_t CONSOLE = 0x40020000u;
constexpr uint32_t CONSOLE_STATE = CONSOLE + 4u;
constexpr uint32_t WFI_BYTES = 4;
constexpr uint64_t INTERVAL = 4096; // cycles between two looks at what gdb says

uint8_t memory[MEMORY_BYTES];
qemu_plugin_insn *known[MEMORY_BYTES / 2];

[[noreturn]] void give_up(const char *why, const char *what = "")
{
    std::fprintf(stderr, "carillon: %s%s\n", why, what);
    std::fflush(stdout);
    std::_Exit(1);
}

uint32_t word_at(uint32_t address)
{
    uint32_t value;
    std::memcpy(&value, &memory[address & (MEMORY_BYTES - 4u)], sizeof value);
    return value;
}

// Copy what an ELF file loads.
void load(const char *name)
{
    std::FILE *const file = std::fopen(name, "rb");
    Elf32_Ehdr header;
    if (file == nullptr || std::fread(&header, sizeof header, 1, file) != 1) {
        give_up("cannot read the image ", name);
    }
    for (int k = 0; k < header.e_phnum; k++) {
        Elf32_Phdr part;
        if (std::fseek(file, header.e_phoff + k * header.e_phentsize, SEEK_SET) != 0 ||
            std::fread(&part, sizeof part, 1, file) != 1) {
            give_up("cannot read the image ", name);
        }
        if (part.p_type != PT_LOAD || part.p_filesz == 0) {
            continue;
        }
        if (part.p_paddr > MEMORY_BYTES || part.p_filesz > MEMORY_BYTES - part.p_paddr) {
            give_up("the image does not fit into the memory: ", name);
        }
        if (std::fseek(file, part.p_offset, SEEK_SET) != 0 ||
            std::fread(&memory[part.p_paddr], part.p_filesz, 1, file) != 1) {
            give_up("cannot read the image ", name);
        }
    }
    std::fclose(file);
}

// Does an instruction load or store?
bool accesses(uint32_t instruction)
{
    if ((instruction & 3u) == 3u) {
        const uint32_t opcode = instruction & 0x7Fu;
        return opcode == 0x03u || opcode == 0x23u || opcode == 0x2Fu;
    }
    const uint32_t quadrant = instruction & 3u, function = instruction >> 13 & 7u;
    return (quadrant == 0u && (function == 2u || function == 6u)) ||
           (quadrant == 2u && (function == 2u || function == 6u));
}

// A port to the memory: an access is granted when none waits, and answered some cycles after that.
struct Port {
    bool waits = false;
    unsigned left = 0;
    uint32_t data = 0;
    bool wrong = false;
};

struct Access {
    uint32_t address;
    bool store, part; // the first of two that a misaligned access takes
    unsigned enabled; // of the word's bytes
    uint8_t before[4];

    bool covers(uint32_t byte) const
    {
        return address / 4u == byte / 4u && (enabled >> (byte & 3u) & 1u) != 0;
    }
};

// What gdb sees of a processor that stands before an instruction.
//
// 1. That instruction is in the last stage in the cycle that is on: the register file and the CSRs have what those before it
//    have written, and what it writes is not there before the clock's next edge.
// 2. Its accesses are granted, as may be one of the instruction behind it.  Stores have changed memory: each keeps what was
//    there before, which gdb sees, and changes.
// 3. A load has its word in this cycle, and one of the instruction behind it has it later: what gdb writes goes there, too.
class Standing final : public Gdb::Target
{
  public:
    Standing(Vsoc &circuit, Port &port, std::deque<Access> &accesses) : soc(circuit), data(port), granted(accesses)
    {
    }

    // How many of the accesses are those of the instruction.
    void begin(size_t count)
    {
        own = count;
    }

    uint32_t inspect(unsigned number) override
    {
        soc.inspected_i = number;
        soc.eval();
        return soc.inspected_o;
    }

    bool read(uint32_t address, uint8_t &byte) override
    {
        if (address >= MEMORY_BYTES) {
            return false;
        }
        byte = memory[address];
        for (size_t k = granted.size(); k-- != 0;) { // the oldest at last
            const Access &access = granted[k];
            byte = access.store && access.covers(address) ? access.before[address & 3u] : byte;
        }
        return true;
    }

    bool write(uint32_t address, uint8_t byte) override
    {
        if (address >= MEMORY_BYTES) {
            return false;
        }
        const unsigned shift = 8u * (address & 3u);
        for (size_t k = 0; k < granted.size(); k++) {
            Access &access = granted[k];
            if (access.store && access.covers(address)) {
                access.before[address & 3u] = byte; // what comes later has what is stored
                return true;
            }
            if (!access.store && access.covers(address)) {
                uint32_t &word = k < own ? soc.data_rdata_i : data.data;
                word = (word & ~(0xFFu << shift)) | static_cast<uint32_t>(byte) << shift;
            }
        }
        memory[address] = byte;
        soc.eval();
        return true;
    }

  private:
    Vsoc &soc;
    Port &data;
    std::deque<Access> &granted;
    size_t own = 0;
};

std::FILE *log_file = nullptr;

#if VM_TRACE
// A waveform.  Within a cycle nothing changes but the clock, which is 1 in its first half.
class Waveform
{
  public:
    void open(Vsoc &soc, const char *name, double rate, uint64_t most)
    {
        soc.trace(&trace, 99);
        trace.set_time_unit("1ps");
        trace.set_time_resolution("1ps");
        trace.open(name);
        half = static_cast<uint64_t>(5e11 / rate);
        left = most;
    }

    // Write a cycle, whose values are settled.
    void cycle(Vsoc &soc)
    {
        if (left == 0) {
            return;
        }
        left--;
        soc.clk_i = 1; // only in the file: the model has seen this edge
        trace.dump(2 * half * now);
        soc.clk_i = 0;
        soc.eval(); // without it, nothing is written
        trace.dump(2 * half * now + half);
        now++;
        if (left == 0) {
            close();
        }
    }

    void close()
    {
        left = 0;
        if (half != 0 && !closed) {
            closed = true;
            trace.flush();
            if (!trace.isOpen()) {
                give_up("cannot write the waveform");
            }
            trace.close();
        }
    }

  private:
    VerilatedVcdC trace;
    uint64_t half = 0, now = 0, left = 0;
    bool closed = false;
};

Waveform waveform;
#endif

} // namespace

// Verilator's own would wait for ever for a waveform that cannot be written.
void vl_fatal(const char *, int, const char *, const char *why)
{
    give_up("the simulation fails: ", why);
}

// The plugin ends the run: what is still in buffers is written.
void plugin_exit(int status)
{
    std::fflush(stdout);
#if VM_TRACE
    waveform.close();
#endif
    if (log_file != nullptr) {
        std::fclose(log_file);
    }
    std::_Exit(status);
}

int main(int count, char **arguments)
{
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ); /* whoever waits for a line has it */
    std::vector<char *> plugins;
    unsigned wait_states = 0;
    const char *vcd = nullptr;
    uint64_t vcd_cycles = UINT64_MAX;
    int gdb_port = 0;
    for (int k = 3; k < count; k++) {
        if (std::strncmp(arguments[k], "waits=", 6) == 0) {
            wait_states = static_cast<unsigned>(std::strtoul(arguments[k] + 6, nullptr, 10));
        } else if (std::strncmp(arguments[k], "vcd=", 4) == 0) {
            vcd = arguments[k] + 4;
        } else if (std::strncmp(arguments[k], "vcd_cycles=", 11) == 0) {
            vcd_cycles = std::strtoull(arguments[k] + 11, nullptr, 10);
        } else if (std::strncmp(arguments[k], "log=", 4) == 0) {
            log_file = std::fopen(arguments[k] + 4, "w");
        } else if (std::strncmp(arguments[k], "gdb=", 4) == 0) {
            gdb_port = static_cast<int>(std::strtoul(arguments[k] + 4, nullptr, 10));
        } else {
            plugins.push_back(arguments[k]);
        }
    }
    const bool debugged = gdb_port != 0;
    if (debugged ? !plugins.empty() : count < 5 || !plugin_install(static_cast<int>(plugins.size()), plugins.data())) {
        give_up("usage: rtl_runner RATE IMAGE [waits=N] [vcd=FILE] [vcd_cycles=N] map=FILE out=FILE ...\n"
                "       rtl_runner RATE IMAGE [waits=N] [vcd=FILE] [vcd_cycles=N] [log=FILE] gdb=PORT");
    }
    load(arguments[2]);

    VerilatedContext context;
#if VM_TRACE
    context.traceEverOn(vcd != nullptr);
#endif
    Vsoc soc{&context};
#if VM_TRACE
    if (vcd != nullptr) {
        waveform.open(soc, vcd, std::strtod(arguments[1], nullptr), vcd_cycles);
    }
#else
    if (vcd != nullptr) {
        give_up("this runner was built without waveforms");
    }
#endif
    Port instructions, data;
    std::deque<Access> granted;
    uint32_t last_pc = 0;
    Gdb gdb;
    Standing standing{soc, data, granted};
    bool faulty = false;
    if (debugged && !gdb.listen_at(gdb_port)) {
        give_up("gdb's port is not free");
    }
    soc.rst_ni = 0;
    for (uint64_t cycle = 0;; cycle++) {
        soc.clk_i = 1;
        soc.eval();
        soc.rst_ni = cycle >= 4;

        // The answers of this cycle.
        soc.instr_rvalid_i = instructions.waits && instructions.left == 0;
        soc.instr_rdata_i = instructions.data;
        soc.instr_err_i = instructions.wrong;
        soc.data_rvalid_i = data.waits && data.left == 0;
        soc.data_rdata_i = data.data;
        soc.data_err_i = data.wrong;
        soc.instr_gnt_i = !instructions.waits || instructions.left == 0;
        soc.data_gnt_i = !data.waits || data.left == 0;
        soc.clk_i = 0;
        soc.eval();
#if VM_TRACE
        waveform.cycle(soc);
#endif
        if (soc.rst_ni == 0) {
            continue;
        }

        // The accesses of this cycle.
        if (instructions.waits) {
            instructions.waits = instructions.left != 0;
            instructions.left -= instructions.left != 0;
        }
        if (soc.instr_req_o && soc.instr_gnt_i) {
            const uint32_t address = soc.instr_addr_o;
            instructions = {true, wait_states, word_at(address), address >= MEMORY_BYTES};
        }
        uint32_t before = 0;
        if (data.waits) {
            data.waits = data.left != 0;
            data.left -= data.left != 0;
        }
        if (soc.data_req_o && soc.data_gnt_i) {
            const uint32_t address = soc.data_addr_o & ~3u;
            before = word_at(address);
            data = {true, address < MEMORY_BYTES ? wait_states : 0u, word_at(address), false};
            if (log_file != nullptr && address < MEMORY_BYTES) {
                std::fprintf(log_file, "%llu %s %08x\n", static_cast<unsigned long long>(cycle),
                             soc.data_we_o ? "store" : "load", address);
            }
            if (address >= MEMORY_BYTES && address != CONSOLE && address != CONSOLE_STATE) {
                data.wrong = true;
            } else if (address == CONSOLE && soc.data_we_o) {
                std::fputc(static_cast<int>(soc.data_wdata_o & 0xFFu), stdout);
            } else if (address < MEMORY_BYTES && soc.data_we_o) {
                for (unsigned byte = 0; byte < 4; byte++) {
                    if ((soc.data_be_o >> byte & 1u) != 0) {
                        memory[address + byte] = static_cast<uint8_t>(soc.data_wdata_o >> (8 * byte));
                    }
                }
            } else if (address >= MEMORY_BYTES) {
                data.data = 1u; // the console is ready
            }
        }

        if (log_file != nullptr && soc.request_o != 0) {
            std::fprintf(log_file, "%llu request %08x\n", static_cast<unsigned long long>(cycle), soc.request_o);
        }

        if (soc.refused_o) {
            std::fprintf(
                stderr, "carillon: access to 0x%08x, where nothing is, in cycle %llu, after the instruction at 0x%x\n",
                granted.empty() ? 0u : granted.front().address, static_cast<unsigned long long>(cycle), last_pc);
            faulty = true;
        }

        if (soc.accessed_o) {
            const uint32_t address = soc.accessed_addr_o;
            Access access{address, soc.accessed_store_o != 0, soc.accessed_part_o != 0, soc.data_be_o, {}};
            std::memcpy(access.before, &before, sizeof before);
            granted.push_back(access);
        }

        // What is done in this cycle; its accesses were granted before.
        if (soc.retired_o && soc.retired_pc_o >= MEMORY_BYTES) {
            std::fputs("carillon: the processor is outside the memory\n", stderr);
            faulty = true;
        }
        if (faulty) {
            if (!debugged) {
                plugin_exit(1);
            }
            gdb.stop(SIGSEGV);
        }
        if (soc.retired_o) {
            const uint32_t pc = soc.retired_pc_o;
            uint32_t instruction = word_at(pc & ~3u) >> (8 * (pc & 2u));
            const bool is_long = (instruction & 3u) == 3u;
            if (is_long && (pc & 2u) != 0) {
                instruction |= word_at(pc + 2u) << 16;
            }
            size_t own = 0; // of the accesses
            if (accesses(instruction)) {
                while (own < granted.size() && granted[own++].part) {
                }
            }
            for (size_t k = 0; debugged && k < own; k++) {
                gdb.watch(granted[k].address, granted[k].enabled, granted[k].store);
            }
            if (debugged && gdb.stops(pc)) {
                standing.begin(own);
                gdb.serve(pc, standing);
                if (faulty) {
                    plugin_exit(1);
                }
            }
            last_pc = pc;
            if (log_file != nullptr) {
                std::fprintf(log_file, "%llu %08x %08x\n", static_cast<unsigned long long>(cycle - 1), pc, instruction);
            }
            if (!debugged) {
                qemu_plugin_insn *&insn = known[pc / 2];
                if (insn == nullptr) {
                    uint8_t bytes[4];
                    std::memcpy(bytes, &instruction, sizeof bytes);
                    insn = plugin_meet(pc, bytes, is_long ? 4 : 2);
                }
                plugin_time(cycle - 1);
                plugin_executed(insn);
                if (own != 0) {
                    plugin_accessed(insn, granted.front().store, granted.front().address);
                }
            }
            granted.erase(granted.begin(), granted.begin() + static_cast<std::ptrdiff_t>(own));
        }
        // Asleep, the processor may do nothing for ever.
        if (debugged && cycle % INTERVAL == 0 && gdb.interrupted() && soc.sleeps_o) {
            standing.begin(0);
            gdb.serve(last_pc + WFI_BYTES, standing);
        }
    }
}
