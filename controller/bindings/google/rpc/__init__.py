"""``google.rpc.status_pb2`` and ``code_pb2``, as `googleapis-common-protos` calls them: P4Runtime clients read errors with them.

``google`` itself has no file here: it is a namespace, whose other part is protobuf's.
"""

from __future__ import annotations

import importlib
import sys

for name in ("status_pb2", "code_pb2"):
    module = importlib.import_module(f"finsy.proto.google.rpc.{name}")
    sys.modules[f"{__name__}.{name}"] = globals()[name] = module
