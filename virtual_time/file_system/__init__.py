"""The file system inside: layers of files of this machine, each an archive that is made once and kept."""
