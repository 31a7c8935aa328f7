// Modules that the pages of custom subjects and of rules share. Each of these pages imports this file, so that the bundler makes few chunks
// of the modules.
import '../data/asking.ts'
import { addPageStyle } from '../parts/page-style.ts'
import forms from '../website/website.page.css'
import rules from './rules.page.css'

addPageStyle(forms)
addPageStyle(rules)
