// Modules that the editor shares with the parts and dialogs that it loads later. All of them import this file, so that the modules become
// one chunk.
import '../common.ts'
import './editor.ts'
import './place-fields.tsx'
