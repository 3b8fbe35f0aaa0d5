// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//! Compiles the tracing plugin into the runner, with this machine's C compiler.
use std::env;
use std::path::PathBuf;
use std::process::Command;

fn run(command: &mut Command) {
    let done = command.status().is_ok_and(|status| status.success());
    assert!(done, "{command:?} failed");
}

fn main() {
    let emulators = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap()).join("..");
    let out = PathBuf::from(env::var("OUT_DIR").unwrap());
    let object = out.join("trace_plugin.o");
    let archive = out.join("libtrace_plugin.a");
    let include = |folder: &str| format!("-I{}", emulators.join(folder).display());
    let sources = ["qemu/trace_plugin.c", "qemu/armv7m/trace_processor.h", "trace_records.h", "parent.h"];
    for source in sources {
        println!("cargo:rerun-if-changed=../{source}");
    }
    run(Command::new("cc")
        .args(["-O2", "-fPIC", "-c"])
        .args([include(""), include("qemu/armv7m")])
        .arg(emulators.join(sources[0]))
        .arg("-o")
        .arg(&object));
    run(Command::new("ar").arg("crs").args([&archive, &object]));
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static=trace_plugin");
}
