//! File systems that do not tell what other machines change.

use std::path::Path;

/// As Linux names them.
const SILENT: &[&str] = &[
    "9p",
    "afs",
    "ceph",
    "cifs",
    "davfs",
    "drvfs",
    "fuse.davfs2",
    "fuse.glusterfs",
    "fuse.rclone",
    "fuse.s3fs",
    "fuse.sshfs",
    "fuse.vmhgfs-fuse",
    "glusterfs",
    "lustre",
    "ncpfs",
    "nfs",
    "nfs4",
    "prl_fs",
    "smb3",
    "smbfs",
    "vboxsf",
    "virtiofs",
    "vmhgfs",
];

/// The name of the file system that `root` is on, if changes on it do not show.
pub(crate) fn silent_file_system(root: &Path) -> Option<String> {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    let root = std::fs::canonicalize(root).ok()?;
    file_system(&mounts, &root).filter(|name| SILENT.contains(name)).map(str::to_owned)
}

/// The file system a path is on: that of the longest mount point above it, and of equal ones the last, which hides the others.
fn file_system<'a>(mounts: &'a str, path: &Path) -> Option<&'a str> {
    let rows = mounts.lines().filter_map(|line| {
        let (mount, source) = line.split_once(" - ")?;
        Some((unescape(mount.split(' ').nth(4)?), source.split(' ').next()?))
    });
    let above = rows.filter(|(point, _)| path.starts_with(point));
    above.max_by_key(|(point, _)| point.len()).map(|(_, name)| name)
}

/// Blanks in paths are written in octal.
fn unescape(text: &str) -> String {
    text.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::file_system;

    #[test]
    fn the_longest_mount_point_counts_and_of_equal_ones_the_last() {
        let mounts = "\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:40 / /mnt/share rw - nfs4 server:/share rw,vers=4.2
31 30 0:41 / /mnt/share/local rw - xfs /dev/vdb rw
32 22 0:42 / /mnt/my\\040share rw master:1 - cifs //server/share rw
33 22 0:43 / /twice rw - tmpfs tmpfs rw
34 22 0:44 / /twice rw - fuse.sshfs host: rw
a line that is none
";
        let check =
            |path: &str, expect: Option<&str>| assert_eq!(file_system(mounts, Path::new(path)), expect, "{path}");
        check("/src", Some("ext4"));
        check("/mnt/share/project", Some("nfs4"));
        check("/mnt/share/local/project", Some("xfs"));
        check("/mnt/shareless", Some("ext4"));
        check("/mnt/my share/x", Some("cifs"));
        check("/twice/x", Some("fuse.sshfs"));
        assert_eq!(file_system("", Path::new("/")), None);
    }
}
