// Layout of a machine's graph by ELK: layered, right-angled, and identical in each run. Measures texts without a browser.

import Elk from 'elkjs/lib/elk.bundled.js'
import type { ElkEdgeSection, ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js'
import type { LaidArrow, MachineLayout } from '#shared/contracts/session/machine-layout.ts'
import { drawnLine, type Point, rounded } from './drawn-line.ts'
import type { GraphArrow, GraphState, MachineGraph } from './graph.ts'
import { sizeOfFrame, sizeOfLabel, sizeOfState, titleOf, wrapped } from './measure.ts'

export type Direction = MachineLayout['direction']

const elkDirection = { right: 'RIGHT', down: 'DOWN' } as const

const options = {
  'elk.algorithm': 'layered',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.padding': '[top=10,left=10,bottom=10,right=10]',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.layered.nodePlacement.favorStraightEdges': 'true',
  'elk.layered.spacing.nodeNodeBetweenLayers': '20',
  'elk.layered.spacing.edgeNodeBetweenLayers': '12',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '12',
  'elk.spacing.nodeNode': '26',
  'elk.spacing.edgeEdge': '16',
  'elk.spacing.edgeNode': '18',
  'elk.spacing.edgeLabel': '4',
  'elk.edgeLabels.placement': 'CENTER',
  'elk.layered.edgeLabels.centerLabelPlacementStrategy': 'MEDIAN_LAYER',
  'elk.layered.thoroughness': '60',
}
// Options of each label, because ELK ignores them on the graph.
const labelOptions = { 'elk.edgeLabels.inline': 'true', 'elk.edgeLabels.placement': 'CENTER' }

const startId = '$start'
const startPx = 12

export async function layOut(graph: MachineGraph, direction: Direction): Promise<MachineLayout> {
  const laid = await new Elk.default().layout({
    id: '$root',
    layoutOptions: { ...options, 'elk.direction': elkDirection[direction] },
    children: nodesOf(graph),
    edges: [
      { id: startId, sources: [startId], targets: [graph.states.find(({ isInitial }) => isInitial)?.id ?? ''] },
      ...graph.arrows.map(edgeOf),
    ],
  })
  return read(laid, graph, direction)
}

/** Puts final states last, because the order of the nodes is the order of the layers. */
function nodesOf({ machine, states, arrows, everywhere }: MachineGraph): ElkNode[] {
  const nodeOf = (state: GraphState): ElkNode => ({ id: state.id, ...sizeOfState(state) })
  const hasFrame = everywhere.length > 0 || arrows.some(({ from }) => from === machine)
  return [
    { id: startId, width: startPx, height: startPx },
    ...states.filter(({ isFinal }) => !isFinal).map(nodeOf),
    ...(hasFrame ? [{ id: machine, ...sizeOfFrame(everywhere) }] : []),
    ...states.filter(({ isFinal }) => isFinal).map(nodeOf),
  ]
}

function edgeOf({ id, from, to, events }: GraphArrow): ElkExtendedEdge {
  const label = { id: `${id} label`, text: id, ...sizeOfLabel(events), layoutOptions: labelOptions }
  return { id, sources: [from], targets: [to], labels: [label] }
}

function read(laid: ElkNode, { machine, states, arrows, everywhere }: MachineGraph, direction: Direction): MachineLayout {
  const areas = new Map((laid.children ?? []).map(node => [node.id, areaOf(node)]))
  const edges = new Map((laid.edges ?? []).map(edge => [edge.id, edge]))
  const areaNamed = (id: string) => areas.get(id) as Area
  const start = areaNamed(startId)
  return {
    machine,
    direction,
    width: Math.ceil(laid.width ?? 0),
    height: Math.ceil(laid.height ?? 0),
    states: states.map(({ id, description, isFinal }) => ({
      id,
      title: titleOf(id),
      about: wrapped(description),
      isFinal,
      ...areaNamed(id),
    })),
    arrows: arrows.map(arrow => readArrow(arrow, edges.get(arrow.id) as ElkExtendedEdge)),
    frame: areas.has(machine) ? { ...areaNamed(machine), stays: everywhere } : null,
    start: { x: start.x + startPx / 2, y: start.y + startPx / 2, ...drawnLine(pointsOf(edges.get(startId) as ElkExtendedEdge)) },
  }
}

function readArrow({ id, from, to, events }: GraphArrow, edge: ElkExtendedEdge): LaidArrow {
  return { id, from, to, ...drawnLine(pointsOf(edge)), label: { ...areaOf(edge.labels?.[0] ?? {}), events } }
}

function pointsOf({ sections }: ElkExtendedEdge): Point[] {
  const [section] = sections as [ElkEdgeSection]
  const { startPoint, bendPoints = [], endPoint } = section
  return [startPoint, ...bendPoints, endPoint]
}

type Area = ReturnType<typeof areaOf>

const areaOf = ({ x = 0, y = 0, width = 0, height = 0 }: { x?: number; y?: number; width?: number; height?: number }) => ({
  x: rounded(x),
  y: rounded(y),
  width: rounded(width),
  height: rounded(height),
})
