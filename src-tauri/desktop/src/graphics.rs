//! Chooses how WebKitGTK draws before it starts, so that the window is never left white and never stands still.
//! On other systems there is nothing to choose.

/// Turns WebKitGTK's DMABUF renderer off where it can't draw, and X's input method off where nobody serves it.
///
/// Call it first thing in `main`: it sets environment variables, which is sound only while no other thread runs.
/// A value that the user has set stays.
pub fn prepare() {
    #[cfg(target_os = "linux")]
    linux::prepare();
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::OsString;
    use std::path::Path;

    const SWITCH: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";
    const INPUT: &str = "GTK_IM_MODULE";

    pub(super) fn prepare() {
        if std::env::var_os(SWITCH).is_none() && needs_plain_renderer(Path::new("/")) {
            // SAFETY: `prepare` is called at the start of `main`, when no other thread reads the environment.
            unsafe { std::env::set_var(SWITCH, "1") };
        }
        if needs_plain_input(|name| std::env::var_os(name)) {
            // SAFETY: as above.
            unsafe { std::env::set_var(INPUT, "gtk-im-context-simple") };
        }
    }

    /// With a Chinese, Japanese or Korean locale GTK falls back to X's input method. Where no server is named for that,
    /// the window isn't drawn any more from the first text field on. Wayland has its own way and is left alone.
    /// `value_of` reads an environment variable.
    pub(super) fn needs_plain_input(value_of: impl Fn(&str) -> Option<OsString>) -> bool {
        [INPUT, "XMODIFIERS", "WAYLAND_DISPLAY"].iter().all(|name| value_of(name).is_none_or(|value| value.is_empty()))
    }

    /// With NVIDIA's driver the renderer shows a white window, and without a render node it has nothing to draw with.
    /// `root` is the file system to look in.
    pub(super) fn needs_plain_renderer(root: &Path) -> bool {
        let has_nvidia_driver =
            root.join("proc/driver/nvidia/version").exists() || root.join("sys/module/nvidia").exists();
        has_nvidia_driver || !has_render_node(&root.join("dev/dri"))
    }

    fn has_render_node(folder: &Path) -> bool {
        let Ok(nodes) = folder.read_dir() else {
            return false;
        };
        nodes.filter_map(Result::ok).any(|node| node.file_name().to_string_lossy().starts_with("renderD"))
    }
}

#[cfg(test)]
mod tests;
