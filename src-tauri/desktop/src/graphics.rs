//! Chooses how WebKitGTK draws before it starts, so that the window is never left white.
//! On other systems there is nothing to choose.

/// Turns WebKitGTK's DMABUF renderer off where it can't draw.
///
/// Call it first thing in `main`: it sets an environment variable, which is sound only while no other thread runs.
/// A value that the user has set stays.
pub fn prepare() {
    #[cfg(target_os = "linux")]
    linux::prepare();
}

#[cfg(target_os = "linux")]
mod linux {
    use std::path::Path;

    const SWITCH: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";

    pub(super) fn prepare() {
        if std::env::var_os(SWITCH).is_none() && needs_plain_renderer(Path::new("/")) {
            // SAFETY: `prepare` is called at the start of `main`, when no other thread reads the environment.
            unsafe { std::env::set_var(SWITCH, "1") };
        }
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
