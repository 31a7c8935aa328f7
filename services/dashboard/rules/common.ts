// Modules that the pages of custom subjects and of rules share. Each page imports this file, so that the modules become few chunks.
import '../data/asking.ts'
import { addPageStyle } from '../parts/page-style.ts'
import forms from '../website/website.page.css'
import rules from './rules.page.css'

addPageStyle(forms)
addPageStyle(rules)
