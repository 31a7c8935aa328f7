// Modules that the pages of custom subjects and of rules share: imported by each of them, so that they make few chunks.
import '../data/asking.ts'
import { addPageStyle } from '../parts/page-style.ts'
import forms from '../website/website.page.css'
import rules from './rules.page.css'

addPageStyle(forms)
addPageStyle(rules)
