// The pages of one rule, loaded together.
import './common.ts'

export { EditRule as rule, NewRule as newRule } from './rule-page.tsx'
