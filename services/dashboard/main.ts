// Entry of the bundle: the style sheet, and the chunk with the dashboard. No code of its own.
import './main.css'
import './shared-chunk.ts'
