// Layout of a machine's graph by ELK: layered, right-angled, and identical in each run. Measures texts without a browser.

import Elk from 'elkjs/lib/elk.bundled.js'
import type { ElkEdgeSection, ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js'
import type { LaidArrow, MachineLayout } from '#shared/contracts/session/machine-layout.ts'
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
// Every label must have these options itself, because ELK ignores them on the graph.
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

// Point of an arrow. An arrow is two SVG paths: a line with round corners, and its tip.
interface Point {
  x: number
  y: number
}

const cornerPx = 9
const tipPx = { length: 8, notch: 6, halfWidth: 4, gap: 0.5 }

/** Rounds to one decimal. A tenth of a pixel is finer than a screen shows. */
const rounded = (n: number): number => Math.round(n * 10) / 10

const at = ({ x, y }: Point) => `${rounded(x)} ${rounded(y)}`

/**
 * Returns the SVG paths of an arrow through `points`, which must be at least two. The tip ends at the last point; the line ends inside the
 * tip.
 */
function drawnLine(points: readonly Point[]): { line: string; tip: string } {
  const [before, end] = points.slice(-2) as [Point, Point]
  const length = distance(before, end) || 1
  const [dx, dy] = [(end.x - before.x) / length, (end.y - before.y) / length]
  const back = (by: number, aside = 0): Point => ({ x: end.x - dx * by - dy * aside, y: end.y - dy * by + dx * aside })
  const { gap, notch, halfWidth } = tipPx
  const wing = gap + tipPx.length
  const corners = [back(gap), back(wing, halfWidth), back(gap + notch), back(wing, -halfWidth)]
  // Uses relative coordinates, so that all arrow tips of one direction have the same SVG path, which compresses well.
  const steps = corners.slice(1).map(({ x, y }, i) => at({ x: x - corners[i]!.x, y: y - corners[i]!.y }))
  const tip = `M${at(corners[0]!)}l${steps.join(' ')}z`
  return { line: roundCorners([...points.slice(0, -1), back(notch)]), tip }
}

function roundCorners(points: readonly Point[]): string {
  const [first, ...others] = points as [Point, ...Point[]]
  const corners = others.slice(0, -1).map((corner, i) => {
    const [before, after] = [points[i] as Point, others[i + 1] as Point]
    const radius = Math.min(cornerPx, distance(before, corner) / 2, distance(corner, after) / 2)
    return `L${at(towards(corner, before, radius))}Q${at(corner)} ${at(towards(corner, after, radius))}`
  })
  return `M${at(first)}${corners.join('')}L${at(others.at(-1) as Point)}`
}

const distance = (a: Point, b: Point) => Math.hypot(b.x - a.x, b.y - a.y)

function towards(from: Point, to: Point, by: number): Point {
  const share = by / (distance(from, to) || 1)
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share }
}
