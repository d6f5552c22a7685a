"""What P4Runtime clients import and no package of today's protobuf has; the folder is on the path of somebody's controller."""
