// Parts of forms and dialogs, and small modules that many pages with forms load. The bundler adds an import of this file to every part, so that
// all of them become one chunk.
import './administration/location.ts'
import './data/asking.ts'
import './parts/for-editors.tsx'
import './parts/form/dialog.tsx'
import './parts/form/field.tsx'
import './parts/form/form.tsx'
import './parts/form/form-state.ts'
