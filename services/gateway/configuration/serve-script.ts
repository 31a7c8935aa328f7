// The worker's side of the message exchange with the page. The worker handles one question of the page at a time. The page sends every API
// request for the worker. If the page terminates the worker during a question, the effects of completed steps remain.
import type { FromScript, ScriptQuestion, ToScript } from '#shared/contracts/session/configuration-script.ts'
import { apiOfPage, isApiFailure } from './api-of-page.ts'
import { exportFile, type FileToImport, planOf, readFile } from './browser.ts'
import { FileFault } from './file-fault.ts'
import type { Clients } from './present.ts'
import { failureSentence, runSteps, StepFailure } from './run-steps.ts'
import type { Step } from './step.ts'

/** Members of a worker's global scope that this file uses. */
export interface ScriptPort {
  postMessage(message: FromScript): void
  onmessage: ((event: { data: ToScript }) => void) | null
}

/** Maximum number of steps in one message. The page reads a message of this size without a noticeable pause. */
const stepsPerMessage = 1_000

/** The latest file and the latest plan. */
interface KeptPlan {
  file: FileToImport | null
  steps: readonly Step[]
}

/** Responds to each question that arrives at the port. */
export function serveScript(port: ScriptPort): void {
  const { api, settle } = apiOfPage(port)
  const kept: KeptPlan = { file: null, steps: [] }
  port.onmessage = ({ data }) => {
    if ('answerTo' in data) return settle(data)
    answer(data.question, { api, workspace: data.workspace }, { kept, port }).then(
      result => port.postMessage({ result }),
      error => port.postMessage({ failure: sentenceOf(error) }),
    )
  }
}

interface Means {
  kept: KeptPlan
  port: ScriptPort
}

async function answer(question: ScriptQuestion, clients: Clients, { kept, port }: Means): Promise<unknown> {
  switch (question.ask) {
    case 'export':
      return exportFile(clients)
    case 'read': {
      kept.file = await readFile(question, clients, progress => port.postMessage({ progress }))
      return kept.file.newDestinations
    }
    case 'plan': {
      kept.steps = kept.file === null ? [] : planOf(kept.file, new Map(question.urls), clients.workspace)
      for (let from = 0; from < kept.steps.length; from += stepsPerMessage)
        port.postMessage({ steps: kept.steps.slice(from, from + stepsPerMessage).map(shown) })
      return kept.steps.length
    }
    case 'run':
      return kept.file === null ? null : run(kept.steps, kept.file, clients, port)
  }
}

const shown = ({ verb, kind, name, what, source }: Step) => ({
  verb,
  kind,
  name,
  what,
  line: source?.positionOf('').line ?? null,
})

async function run(steps: readonly Step[], { present }: FileToImport, clients: Clients, port: ScriptPort): Promise<null> {
  const places = new Map(steps.map((step, place) => [step, place]))
  let done: number[] = []
  const send = () => {
    if (done.length > 0) port.postMessage({ done })
    done = []
  }
  const onDone = (step: Step) => {
    done.push(places.get(step) ?? -1)
    // Steps that need no request end at once, so their ends are collected and sent in one message.
    if (step.verb !== 'left' || done.length >= stepsPerMessage) send()
  }
  try {
    await runSteps(steps, { clients, present, onDone })
    return null
  } finally {
    send()
  }
}

/** Returns the sentence for an error. For a fault of the file, the sentence names the file, the line, the object and the field. */
function sentenceOf(error: unknown): string {
  if (error instanceof StepFailure) return failureSentence(error, 'import the file again')
  if (error instanceof FileFault) {
    const { file, at, object, sentence } = error
    const where = [file, at === null ? null : `line ${at.line}`, object].filter(part => part !== null)
    return `${where.join(', ')}: ${sentence}.`
  }
  return isApiFailure(error) ? error.message : 'The page made a mistake. Load it again.'
}
