// The pages of a custom subject, loaded together.
import './common.ts'
import { addPageStyle } from '../parts/page-style.ts'
import settings from '../styles/settings.page.css'

addPageStyle(settings)

export { NewSubject as newSubject } from './new-subject.tsx'
export { SubjectPage as signals } from './subject-page.tsx'
