// The parts of the editor that few drafts show. They are loaded when a person first needs one of them.
import { lazy } from '../../parts/lazy.tsx'

const parts = () => import('./editor-parts.ts')

export const CheckParts = lazy(() => import('./editor-checks.ts').then(it => it.CheckParts))
export const FieldParts = lazy(() => parts().then(it => it.FieldParts))
export const FlappingParts = lazy(() => parts().then(it => it.FlappingParts))
export const DestinationAt = lazy(() => parts().then(it => it.DestinationAt))
export const Routes = lazy(() => parts().then(it => it.Routes))
export const ValueAt = lazy(() => parts().then(it => it.ValueAt))
export const AnswerFields = lazy(() => parts().then(it => it.AnswerFields))
export const OwnObservations = lazy(() => parts().then(it => it.OwnObservations))
