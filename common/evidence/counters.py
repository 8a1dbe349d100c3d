"""The hardware counters that ``./course bench --counters`` reads, and what each one means.

A ladder's ladder.json names those that it wants. The metrics are Nsight Compute's, of compute
capability 9.0; each is read in one pass of its own, with clocks left alone. A metric that is told
apart by opcode stands with the opcode: ``sass__inst_executed_per_opcode[BAR]``.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Counter:
    """One counter: the metric that Nsight Compute knows it by, its unit, its meaning."""

    metric: str
    unit: str
    meaning: str


def _stalled(reason: str) -> str:
    return f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio"


COUNTERS = {
    "shared_load_wavefronts": Counter(
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "wavefronts",
        "passes of shared-memory loads",
    ),
    "shared_store_wavefronts": Counter(
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        "wavefronts",
        "passes of shared-memory stores",
    ),
    "shared_wavefronts": Counter(
        "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
        "wavefronts",
        "passes of all accesses to shared memory",
    ),
    "shared_load_bank_conflicts": Counter(
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
        "conflicts",
        "bank conflicts of shared-memory loads",
    ),
    "shared_store_bank_conflicts": Counter(
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
        "conflicts",
        "bank conflicts of shared-memory stores",
    ),
    "shared_load_instructions": Counter(
        "smsp__inst_executed_op_shared_ld.sum",
        "instructions",
        "shared-memory load instructions, one a warp",
    ),
    "shared_store_instructions": Counter(
        "smsp__inst_executed_op_shared_st.sum",
        "instructions",
        "shared-memory store instructions, one a warp",
    ),
    "lsu_wavefronts": Counter(
        "l1tex__data_pipe_lsu_wavefronts.sum",
        "wavefronts",
        "passes of all loads and stores, global memory's included",
    ),
    "global_load_sectors": Counter(
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "sectors",
        "sectors of global memory that loads asked for",
    ),
    "global_store_sectors": Counter(
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
        "sectors",
        "sectors of global memory that stores wrote",
    ),
    "sectors_per_load": Counter(
        "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
        "sectors per request",
        "sectors that one load instruction of a warp asked for, on average",
    ),
    "local_load_instructions": Counter(
        "smsp__inst_executed_op_local_ld.sum",
        "instructions",
        "local-memory load instructions, one a warp",
    ),
    "local_store_instructions": Counter(
        "smsp__inst_executed_op_local_st.sum",
        "instructions",
        "local-memory store instructions, one a warp",
    ),
    "local_load_sectors": Counter(
        "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
        "sectors",
        "sectors of local memory that loads asked for",
    ),
    "barriers": Counter(
        "sass__inst_executed_per_opcode[BAR]", "barriers", "barrier instructions, one a warp"
    ),
    "warp_instructions": Counter(
        "smsp__inst_executed.sum", "instructions", "instructions executed, one a warp"
    ),
    "multiply_adds": Counter(
        "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
        "multiply-adds",
        "FP32 multiply-adds executed, one a thread",
    ),
    "issue_active": Counter(
        "smsp__issue_active.avg.pct_of_peak_sustained_active",
        "%",
        "cycles in which a scheduler issued an instruction",
    ),
    "lsu_data_pipe": Counter(
        "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",
        "%",
        "use of the data pipe that serves loads and stores",
    ),
    "fma_pipe": Counter(
        "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active",
        "%",
        "use of the multiply-add pipes",
    ),
    "warps_active": Counter(
        "sm__warps_active.avg.pct_of_peak_sustained_active",
        "%",
        "resident warps of those that a multiprocessor can hold: achieved occupancy",
    ),
    "warps_possible": Counter(
        "sm__maximum_warps_per_active_cycle_pct",
        "%",
        "warps that registers, shared memory and block size let a multiprocessor hold",
    ),
    "stalled_short_scoreboard": Counter(
        _stalled("short_scoreboard"),
        "warps per issue",
        "warps that wait for shared memory, for each instruction issued",
    ),
    "stalled_mio_throttle": Counter(
        _stalled("mio_throttle"),
        "warps per issue",
        "warps that wait for room in the memory queue, for each instruction issued",
    ),
    "stalled_long_scoreboard": Counter(
        _stalled("long_scoreboard"),
        "warps per issue",
        "warps that wait for global memory, for each instruction issued",
    ),
    "stalled_barrier": Counter(
        _stalled("barrier"),
        "warps per issue",
        "warps that wait at a barrier, for each instruction issued",
    ),
    "dram_bytes_read": Counter("dram__bytes_read.sum", "B", "bytes read from device memory"),
    "dram_bytes_written": Counter("dram__bytes_write.sum", "B", "bytes written to device memory"),
    "dram_throughput": Counter(
        "dram__throughput.avg.pct_of_peak_sustained_elapsed",
        "%",
        "use of device memory's bandwidth",
    ),
    "registers": Counter("launch__registers_per_thread", "registers", "registers of a thread"),
    "duration": Counter(
        "gpu__time_duration.sum", "us", "duration under the profiler, which is no measured time"
    ),
}
