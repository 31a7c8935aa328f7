// The page of transformations, with the styles that it shares with the settings.
import { addPageStyle } from '../parts/page-style.ts'
import style from '../styles/settings.page.css'

addPageStyle(style)

export { Transformations as transformations } from './transformations.tsx'
