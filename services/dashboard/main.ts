// Entry of the bundle. Only imports the dashboard.
import './shared-chunk.ts'
