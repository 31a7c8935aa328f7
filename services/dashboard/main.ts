// Entry of the bundle: the chunk with the dashboard. No code of its own.
import './shared-chunk.ts'
