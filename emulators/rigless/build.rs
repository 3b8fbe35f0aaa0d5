// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//! Compiles the tracing plugin into the runner, with this machine's C compiler.
use std::env::var;
use std::process::Command;

fn run(program: &str, arguments: &[&str]) {
    let done = Command::new(program).args(arguments).status().is_ok_and(|status| status.success());
    assert!(done, "{program} failed");
}

fn main() {
    let out = var("OUT_DIR").expect("cargo names a folder");
    let (object, archive) = (format!("{out}/plugin.o"), format!("{out}/libplugin.a"));
    run("cc", &["-O2", "-fPIC", "-I..", "-I../qemu/armv7m", "-c", "plugin.c", "-o", &object]);
    run("ar", &["crs", &archive, &object]);
    println!("cargo:rustc-link-search=native={out}");
    println!("cargo:rustc-link-lib=static=plugin");
    println!("cargo:rerun-if-changed=plugin.c\ncargo:rerun-if-changed=..");
}
