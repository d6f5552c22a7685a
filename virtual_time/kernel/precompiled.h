/* The headers that most files of the kernel read, in one: compiler.sh gives them to gcc, read once. A message of an inline function in one
 * of them names "linux" instead of its file. */
#define KBUILD_MODNAME "linux"
#define KBUILD_BASENAME "linux"
#include <linux/kconfig.h>
#include <linux/compiler_types.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/mm.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/interrupt.h>
#include <linux/uaccess.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/pagemap.h>
#include <linux/syscalls.h>
#include <linux/skbuff.h>
#include <linux/netdevice.h>
#include <net/sock.h>
#include <net/tcp.h>
#include <linux/filter.h>
#undef KBUILD_MODNAME
#undef KBUILD_BASENAME
