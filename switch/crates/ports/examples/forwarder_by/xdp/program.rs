//! The BPF program that hands every frame of a queue to the socket, and its place at the interface.

use std::io;
use std::mem;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use super::Mode;

const BPF_MAP_CREATE: libc::c_int = 0;
const BPF_MAP_UPDATE_ELEM: libc::c_int = 2;
const BPF_PROG_LOAD: libc::c_int = 5;
const BPF_LINK_CREATE: libc::c_int = 28;
const BPF_MAP_TYPE_XSKMAP: u32 = 17;
const BPF_PROG_TYPE_XDP: u32 = 6;
const BPF_XDP: u32 = 37;
const XDP_FLAGS_SKB_MODE: u32 = 1 << 1;
const XDP_FLAGS_DRV_MODE: u32 = 1 << 2;
/// `return bpf_redirect_map(&sockets, context->rx_queue_index, XDP_PASS)`; the map's descriptor goes into the second instruction.
const PROGRAM: [u64; 6] = [
    0x0000_0000_0010_1261, // r2 = *(u32 *)(r1 + 16)
    0x0000_0000_0000_1118, // r1 = the map of this descriptor,
    0x0000_0000_0000_0000, // the upper half of the same
    0x0000_0002_0000_03b7, // r3 = XDP_PASS
    0x0000_0033_0000_0085, // call bpf_redirect_map
    0x0000_0000_0000_0095, // exit
];

#[repr(C)]
struct MapCreate {
    kind: u32,
    key_bytes: u32,
    value_bytes: u32,
    entries: u32,
}

#[repr(C)]
struct MapUpdate {
    map: u32,
    padding: u32,
    key: u64,
    value: u64,
    flags: u64,
}

#[repr(C)]
struct ProgramLoad {
    kind: u32,
    instructions: u32,
    code: u64,
    license: u64,
}

#[repr(C)]
struct LinkCreate {
    program: u32,
    interface: u32,
    attach_type: u32,
    flags: u32,
}

/// The program at the interface; off it again when this is dropped or the process ends.
pub struct Attached {
    _link: OwnedFd,
    _program: OwnedFd,
    _map: OwnedFd,
}

impl Attached {
    /// Loads and attaches it.
    pub fn new(interface: u32, socket: RawFd, mode: Mode) -> io::Result<Self> {
        let map =
            bpf(BPF_MAP_CREATE, &MapCreate { kind: BPF_MAP_TYPE_XSKMAP, key_bytes: 4, value_bytes: 4, entries: 1 })?;
        let (queue, value) = (0u32, socket as u32);
        let update = MapUpdate {
            map: map.as_raw_fd() as u32,
            padding: 0,
            key: (&raw const queue) as u64,
            value: (&raw const value) as u64,
            flags: 0,
        };
        call(BPF_MAP_UPDATE_ELEM, &update)?;
        let mut code = PROGRAM;
        code[1] |= (map.as_raw_fd() as u64) << 32;
        let license = c"Apache-2.0";
        let load = ProgramLoad {
            kind: BPF_PROG_TYPE_XDP,
            instructions: code.len() as u32,
            code: code.as_ptr() as u64,
            license: license.as_ptr() as u64,
        };
        let program = bpf(BPF_PROG_LOAD, &load)?;
        let flags = match mode {
            Mode::Generic => XDP_FLAGS_SKB_MODE,
            Mode::Native => XDP_FLAGS_DRV_MODE,
        };
        let link = bpf(
            BPF_LINK_CREATE,
            &LinkCreate { program: program.as_raw_fd() as u32, interface, attach_type: BPF_XDP, flags },
        )?;
        Ok(Self { _link: link, _program: program, _map: map })
    }
}

fn call<T>(command: libc::c_int, attributes: &T) -> io::Result<libc::c_int> {
    // SAFETY: the attributes, and the memory they point to, live through the call, and their length is given.
    let result = unsafe { libc::syscall(libc::SYS_bpf, command, std::ptr::from_ref(attributes), mem::size_of::<T>()) };
    let result = libc::c_int::try_from(result).map_err(io::Error::other)?;
    crate::raw_socket::check(result)?;
    Ok(result)
}

fn bpf<T>(command: libc::c_int, attributes: &T) -> io::Result<OwnedFd> {
    // SAFETY: a fresh descriptor nobody else owns.
    call(command, attributes).map(|fd| unsafe { OwnedFd::from_raw_fd(fd) })
}
