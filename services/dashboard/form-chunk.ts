// Parts of forms and dialogs. The bundler adds an import of this file to every part, so that all parts become one chunk.
import './parts/form/dialog.tsx'
import './parts/form/field.tsx'
import './parts/form/form.tsx'
import './parts/form/form-state.ts'
