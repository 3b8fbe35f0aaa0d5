# SPDX-License-Identifier: Apache-2.0
"""What a handler keeps on its stack, ``verify`` reads there, as long as nothing else can have changed it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from carillon.verify.code import Handlers
from carillon.verify.elf import Elf

COMPILERS = {
    "thumb": ["arm-none-eabi-gcc", "-mcpu=cortex-m0plus", "-mthumb"],
    "thumb-2": ["arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb"],
    "riscv": ["riscv64-unknown-elf-gcc", "-march=rv32imac", "-mabi=ilp32"],
    "x86": ["cc", "-no-pie", "-static", "-Wl,--build-id=none"],
}
THUMB = {
    "enter": "push {r4, r5, lr}; sub sp, #12",
    "leave": "add sp, #12; pop {r4, r5, pc}",
    "make": "ldr r3, =task",
    "keep": "str r3, [sp, #4]",
    "take": "ldr r0, [sp, #4]",
    "run": "bl run",
    "other": "bl other",
    "replace": "str r4, [sp, #4]",
    "part": "movs r1, #1; mov r2, sp; strb r1, [r2, #6]",
    "beside": "str r4, [sp, #8]; str r4, [sp]",
    "hand": "add r0, sp, #4",
    "show": "mov r1, sp; ldr r2, =shown; str r1, [r2]",
    "hide": "add r5, sp, #4; add r5, r4",
    "forget": "add r1, sp, #4; movs r1, #1",
    "store": "str r4, [r5]",
    "several": "add r1, sp, #4; stm r1!, {r4, r5}",
    "drop": "add sp, #12; sub sp, #12",
    "move": "sub sp, #8; str r3, [sp, #12]; add sp, #8",
    "push": "push {r3}; pop {r0}",
    "above": "str r3, [sp, #24]; ldr r0, [sp, #24]",
    "pointer": "add r1, sp, #4; ldr r0, [r1]",
}
THUMB_2 = THUMB | {
    "push": "str r3, [sp, #-8]!; ldr r0, [sp], #8",
    "part": "movs r1, #1; strh.w r1, [sp, #6]",
    "several": "strd r4, r5, [sp]",
    "beside": "strd r4, r5, [sp, #8]; str.w r4, [sp]",
}
RISCV = {
    "enter": "addi sp, sp, -32; sw ra, 28(sp)",
    "leave": "lw ra, 28(sp); addi sp, sp, 32; ret",
    "make": "la a5, task",
    "keep": "sw a5, 8(sp)",
    "take": "lw a0, 8(sp)",
    "run": "call run",
    "other": "call other",
    "replace": "sw s0, 8(sp)",
    "part": "li a1, 1; sb a1, 10(sp)",
    "beside": "sw s0, 12(sp); sw s0, 4(sp)",
    "hand": "addi a0, sp, 8",
    "show": "mv a1, sp; la a2, shown; sw a1, 0(a2)",
    "hide": "addi s1, sp, 8; add s1, s1, s0",
    "forget": "mv a1, sp; li a1, 1",
    "store": "sw s0, 0(s1)",
    "several": "sw s0, 12(sp); sw s0, 8(sp)",
    "drop": "addi sp, sp, 16; addi sp, sp, -16",
    "move": "addi sp, sp, -16; sw a5, 24(sp); addi sp, sp, 16",
    "push": "addi sp, sp, -16; sw a5, 0(sp); lw a0, 0(sp); addi sp, sp, 16",
    "above": "sw a5, 32(sp); lw a0, 32(sp)",
    "pointer": "addi a1, sp, 4; lw a0, 4(a1)",
}
X86 = {
    "enter": "push rbx; sub rsp, 32",
    "leave": "add rsp, 32; pop rbx; ret",
    "make": "mov eax, offset task",
    "keep": "mov [rsp + 8], rax",
    "take": "mov rdi, [rsp + 8]",
    "run": "call run",
    "other": "call other",
    "replace": "mov [rsp + 8], rbx",
    "part": "mov byte ptr [rsp + 10], 1",
    "beside": "mov [rsp + 16], rbx; mov [rsp], rbx",
    "hand": "lea rdi, [rsp + 8]",
    "show": "mov [shown], rsp",
    "hide": "lea rbp, [rsp + 8]; add rbp, rbx",
    "forget": "mov rcx, rsp; mov ecx, 1",
    "store": "mov [rbp], rbx",
    "several": "movups [rsp], xmm0",
    "drop": "add rsp, 16; sub rsp, 16",
    "move": "sub rsp, 16; mov [rsp + 24], rax; add rsp, 16",
    "push": "push rax; pop rdi",
    "above": "mov [rsp + 40], rax; mov rdi, [rsp + 40]",
    "pointer": "lea rcx, [rsp + 4]; mov rdi, [rcx + 4]",
}
WORDS = {"thumb": THUMB, "thumb-2": THUMB_2, "riscv": RISCV, "x86": X86}
KNOWN = {
    "make keep take run": True,
    "make keep other take run": True,
    "make keep beside store take run": True,
    "make move other take run": True,
    "make push run": True,
    "make keep pointer run": True,
    "make keep forget other take run": True,
    "make keep replace take run": False,
    "make keep part take run": False,
    "make keep several take run": False,
    "make keep hand other take run": False,
    "make keep show other take run": False,
    "make keep show store take run": False,
    "make show keep store take run": False,
    "make keep hide store take run": False,
    "make keep drop take run": False,
    "make above run": False,
}


@pytest.mark.parametrize("processor", COMPILERS)
@pytest.mark.parametrize("text", KNOWN)
def test_a_function_whose_address_was_on_the_stack(processor: str, text: str, tmp_path: Path) -> None:
    """The address is known at the call, unless something may have changed it, or it is not the handler's own."""
    compiler, words = COMPILERS[processor], WORDS[processor]
    if shutil.which(compiler[0]) is None:
        pytest.skip(f"needs {compiler[0]}")
    lines = [part for word in ("enter", *text.split(), "leave") for part in words[word].split(";")]
    head = {"x86": ".intel_syntax noprefix\n", "riscv": ".option norelax\n"}.get(processor, ".syntax unified\n.thumb\n")
    functions = {"handler": lines, **{name: [words["leave"]] for name in ("task", "run", "other")}}
    code = "".join(
        f".global {name}\n.type {name}, %function\n{name}:\n" + "\n".join(body) + f"\n.size {name}, . - {name}\n"
        for name, body in functions.items()
    )
    (tmp_path / "code.s").write_text(head + code + "\n.data\n.global shown\n.balign 8\nshown: .quad 0\n")
    command = [*compiler, "-nostdlib", "-Wl,-e,handler", "-o", str(tmp_path / "code.elf"), str(tmp_path / "code.s")]
    subprocess.run(command, check=True)
    elf = Elf(tmp_path / "code.elf")
    (path,) = Handlers(elf).paths(elf.symbol("handler").address).effects
    call = next(e for e in path if e.kind == "call" and e.address == elf.symbol("run").address)
    given = dict(call.arguments).get(0)
    assert (given is not None and elf.code(given) == elf.symbol("task").address) is KNOWN[text]
    assert KNOWN[text] or given is None
