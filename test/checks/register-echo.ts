// Preloaded into a program by a test, so that its registries have one more kind of check.
import { addCheckKind } from '#shared/checks/registry.ts'
import { addChecker } from '../../services/prober/checks/registry.ts'
import { checkEcho } from './echo/checker.ts'
import { echo } from './echo/kind.ts'

addCheckKind(echo)
addChecker(echo.key, checkEcho)
