// Sources in the order in which they are read. The last one has the engine: the module of its name.
platter_candidates.sv
platter_candidates_checks.sv
fcfs_engine_policy.sv
fcfs_engine.sv
