// Modules that the pages of Templates, the editor and its dialogs share. Every such page or dialog imports this file, so that the modules
// become one chunk.
import './editor/draft.ts'
import './editor/draft-store.ts'
import './template.ts'
import { addPageStyle } from '../parts/page-style.ts'
import style from './templates.page.css'

addPageStyle(style)
