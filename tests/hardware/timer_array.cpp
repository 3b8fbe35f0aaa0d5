// SPDX-License-Identifier: Apache-2.0
//
// Drives the timer array: reads what happens in each cycle from a file, and writes what the array answers to another.
#include <cstdint>
#include <cstdio>

#include "Vtop.h"
#include "verilated.h"

namespace
{

struct Cycle {
    uint32_t wdata;
    uint32_t pending;
    uint16_t addr;
    uint8_t be;
    uint8_t flags; // 1: a tick, 2: an access, 4: the access is a store
};

// Of a cycle: the requests in it, and the answer to its access, which stands in the next one.
struct Answer {
    uint32_t request;
    uint32_t rdata;
    uint32_t err;
};

} // namespace

int main(int count, char **arguments)
{
    std::FILE *const given = count == 3 ? std::fopen(arguments[1], "rb") : nullptr;
    std::FILE *const written = count == 3 ? std::fopen(arguments[2], "wb") : nullptr;
    if (given == nullptr || written == nullptr) {
        std::fputs("usage: driver CYCLES ANSWERS\n", stderr);
        return 1;
    }
    VerilatedContext context;
    context.randReset(2);
    Vtop top{&context};
    const auto clock = [&] {
        top.clk_i = 1;
        top.eval();
        top.clk_i = 0;
    };
    top.clk_i = 0;
    top.rst_ni = 1;
    top.eval();
    top.rst_ni = 0;
    top.eval();
    clock();
    top.rst_ni = 1;
    Cycle cycle;
    while (std::fread(&cycle, sizeof cycle, 1, given) == 1) {
        top.tick_i = cycle.flags & 1u;
        top.req_i = cycle.flags >> 1 & 1u;
        top.we_i = cycle.flags >> 2 & 1u;
        top.be_i = cycle.be;
        top.addr_i = cycle.addr;
        top.wdata_i = cycle.wdata;
        top.pending_i = cycle.pending;
        top.eval();
        Answer answer = {top.request_o, 0, 0};
        clock();
        answer.rdata = top.rdata_o;
        answer.err = top.err_o;
        std::fwrite(&answer, sizeof answer, 1, written);
    }
    top.final();
    return std::fclose(written) == 0 ? 0 : 1;
}
