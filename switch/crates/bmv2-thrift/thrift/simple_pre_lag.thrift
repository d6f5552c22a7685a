// What `simple_switch` serves as `simple_pre_lag` at --thrift-port: multicast groups and their nodes.

namespace py bm_runtime.simple_pre_lag
namespace cpp bm_runtime.simple_pre_lag

// A group's handle is its number.
typedef i32 BmMcMgrp
typedef i32 BmMcMgrpHandle
typedef i32 BmMcRid
typedef i32 BmMcL1Handle
typedef i16 BmMcLagIndex
// Digits 0 and 1, the last one is of port 0. There are no link aggregation groups here, so their map is empty.
typedef string BmMcPortMap
typedef string BmMcLagMap

enum McOperationErrorCode { TABLE_FULL = 1, INVALID_MGID = 2, INVALID_MGRP_HANDLE = 3, INVALID_L1_HANDLE = 4, ERROR = 5 }
exception InvalidMcOperation { 1: McOperationErrorCode code }

service SimplePreLAG {
  BmMcMgrpHandle bm_mc_mgrp_create(1: i32 cxt_id, 2: BmMcMgrp mgrp)
    throws (1: InvalidMcOperation ouch)
  void bm_mc_mgrp_destroy(1: i32 cxt_id, 2: BmMcMgrpHandle mgrp_handle)
    throws (1: InvalidMcOperation ouch)
  BmMcL1Handle bm_mc_node_create(1: i32 cxt_id, 2: BmMcRid rid, 3: BmMcPortMap port_map, 4: BmMcLagMap lag_map)
    throws (1: InvalidMcOperation ouch)
  void bm_mc_node_update(1: i32 cxt_id, 2: BmMcL1Handle l1_handle, 3: BmMcPortMap port_map, 4: BmMcLagMap lag_map)
    throws (1: InvalidMcOperation ouch)
  void bm_mc_node_destroy(1: i32 cxt_id, 2: BmMcL1Handle l1_handle)
    throws (1: InvalidMcOperation ouch)
  void bm_mc_node_associate(1: i32 cxt_id, 2: BmMcMgrpHandle mgrp_handle, 3: BmMcL1Handle l1_handle)
    throws (1: InvalidMcOperation ouch)
  void bm_mc_node_dissociate(1: i32 cxt_id, 2: BmMcMgrpHandle mgrp_handle, 3: BmMcL1Handle l1_handle)
    throws (1: InvalidMcOperation ouch)
  void bm_mc_set_lag_membership(1: i32 cxt_id, 2: BmMcLagIndex lag_index, 3: BmMcPortMap port_map)
    throws (1: InvalidMcOperation ouch)
  string bm_mc_get_entries(1: i32 cxt_id)
    throws (1: InvalidMcOperation ouch)
}
