// cltb.d.ts - exact chess endgame tables in browsers and Node (README.md)

export type Outcome = "win" | "cursed-win" | "draw" | "blessed-loss" | "loss"

/** Distances are in plies, and null for draws. `dtz_max` comes only from Syzygy files: the distance may be that. */
export interface Value {
    outcome: Outcome
    dtz: number | null
    dtz_max?: number
}

export interface Mate {
    outcome: Outcome
    dtm: number | null
}

/** The value is that of the position before the move, if it is played; null if a table is missing. */
export interface Move {
    uci: string
    san: string
    outcome: Outcome | null
    dtz: number | null
    dtz_max?: number
    zeroing: boolean
    mate: boolean
}

/** What `cltb probe --format json` prints; dtm and dtc only where there are tables of them. */
export interface Analysis extends Value {
    fen: string
    dtm?: number | null
    dtc?: number | null
    checkmate: boolean
    stalemate: boolean
    /** All legal moves, best first. */
    moves: Move[]
    /** The best line in UCI, up to mate, a capture or a pawn move. */
    line: string[]
    /** Which tables the moves without a value need. */
    missing?: string
}

export interface Options {
    /** Names of the files that a URL has, such as ["KQvK.cltb"]. Without it, a missing file costs a request. */
    list?: Iterable<string>
    /** Milliseconds of a server's silence that are an error (30000). */
    timeout?: number
    /** From a server that ignores range requests, files of so many bytes are fetched whole (1 MiB). */
    whole?: number
    /** Bytes of pieces of files that are kept (64 MiB). */
    cache?: number
    /** Where cltb.wasm is, its bytes, or a module made of it; by default it lies beside cltb.js. */
    wasm?: string | URL | BufferSource | WebAssembly.Module
}

/** `usage`, `memory`, `io` (a server or a disk fails), `corrupt`, `missing`, `position` (no position, or one that no
    table can hold), `foreign` (not a table, or of another version). */
export type ErrorCode = "usage" | "memory" | "io" | "corrupt" | "missing" | "position" | "foreign"

export class CltbError extends Error {
    readonly code: ErrorCode
}

export interface Tables {
    /** The value for the side to move, which honours the half-move clock. */
    probe(fen: string): Promise<Value>
    /** The distance to mate without the 50-move rule, from NAME.dtm.cltb. */
    mate(fen: string): Promise<Mate>
    /** All legal moves, best first. */
    moves(fen: string): Promise<Move[]>
    /** Value, moves, and best line. */
    analyse(fen: string): Promise<Analysis>
    /** What `/standard` and `/standard/mainline` of `cltb serve` answer, in the form of lila-tablebase. */
    standard(fen: string): Promise<unknown>
    mainline(fen: string): Promise<unknown>
    /** Requests to a server, and the bytes of tables in its answers. */
    readonly traffic: {requests: number, bytes: number}
    close(): void
}

/**
 * Opens tables: a URL with the files NAME.cltb; in Node also a folder; files (of an <input>, say) or other blobs with
 * names; or an object or a map of names and bytes. Tables are opened when first needed.
 */
export function open(
    from: string | URL | Iterable<File> | Map<string, BufferSource | Blob> | Record<string, BufferSource | Blob>,
    options?: Options): Promise<Tables>
