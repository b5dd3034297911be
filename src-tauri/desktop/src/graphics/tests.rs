//! When the DMABUF renderer is turned off, on file systems made for the purpose, and when X's input method is.
//! What WebKit then draws is seen in the window tests.

#![cfg(target_os = "linux")]

use std::{fs, path::PathBuf};

use super::linux::{needs_plain_input, needs_plain_renderer};

/// A file system with these empty files, under a name of its own.
fn root_with(name: &str, files: &[&str]) -> PathBuf {
    let root = std::env::temp_dir().join(format!("assent-graphics-{}-{name}", std::process::id()));
    fs::create_dir_all(&root).unwrap();
    for file in files {
        let file = root.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "").unwrap();
    }
    root
}

fn is_plain(name: &str, files: &[&str]) -> bool {
    let root = root_with(name, files);
    let plain = needs_plain_renderer(&root);
    fs::remove_dir_all(root).unwrap();
    plain
}

#[test]
fn an_open_driver_with_a_render_node_keeps_the_renderer() {
    assert!(!is_plain("open", &["dev/dri/card0", "dev/dri/renderD128"]));
}

#[test]
fn no_render_node_turns_it_off() {
    assert!(is_plain("none", &[]));
    assert!(is_plain("card", &["dev/dri/card0"]));
}

#[test]
fn the_nvidia_driver_turns_it_off() {
    assert!(is_plain("nvidia", &["dev/dri/renderD128", "proc/driver/nvidia/version"]));
    assert!(is_plain("module", &["dev/dri/renderD128", "sys/module/nvidia/version"]));
}

#[test]
fn an_input_method_that_is_named_stays_and_a_desktop_without_one_gets_the_plain_one() {
    let plain = |set: &[(&str, &str)]| {
        needs_plain_input(|name| set.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into()))
    };
    assert!(plain(&[]));
    assert!(plain(&[("GTK_IM_MODULE", ""), ("XMODIFIERS", "")]));
    assert!(!plain(&[("GTK_IM_MODULE", "fcitx")]));
    assert!(!plain(&[("XMODIFIERS", "@im=ibus")]));
    assert!(!plain(&[("WAYLAND_DISPLAY", "wayland-0")]));
}
