// Parts of forms and dialogs. The bundler lets each part import this file, so that all parts make one chunk.
import './parts/form/dialog.tsx'
import './parts/form/field.tsx'
import './parts/form/form.tsx'
import './parts/form/form-state.ts'
