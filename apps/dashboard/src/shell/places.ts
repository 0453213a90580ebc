import type { Scope } from '@agent-run-service/sdk'
import type { LinkProps } from '@tanstack/react-router'
import {
  Activity,
  Bot,
  CalendarClock,
  ChartLine,
  FlaskConical,
  Gauge,
  Hand,
  House,
  KeyRound,
  Layers,
  Library,
  type LucideIcon,
  Plug,
  Radio,
  Settings,
  ShieldCheck,
  Siren,
  Webhook,
  Workflow,
} from 'lucide-react'

export type Place = {
  name: string
  to: NonNullable<LinkProps['to']>
  Icon: LucideIcon
  scope: Scope | null
  /** The letter after `g`. */
  letter?: string
}

/** The sidebar. A place whose routes the service does not have yet is not here. */
export const places: readonly { title: string; places: readonly Place[] }[] = [
  {
    title: 'Work',
    places: [
      { name: 'Home', to: '/', Icon: House, scope: 'runs:read' },
      { name: 'Runs', to: '/runs', Icon: Activity, scope: 'runs:read', letter: 'r' },
      { name: 'Approvals', to: '/approvals', Icon: Hand, scope: 'runs:read', letter: 'a' },
      { name: 'Playground', to: '/playground', Icon: FlaskConical, scope: 'runs:write', letter: 'p' },
      { name: 'Batches', to: '/batches', Icon: Layers, scope: 'runs:read' },
    ],
  },
  {
    title: 'Build',
    places: [
      { name: 'Agents', to: '/agents', Icon: Bot, scope: 'agents:read', letter: 'g' },
      { name: 'Catalog', to: '/catalog', Icon: Library, scope: 'agents:read' },
      { name: 'Pipelines', to: '/pipelines', Icon: Workflow, scope: 'pipelines:read' },
      { name: 'Schedules', to: '/schedules', Icon: CalendarClock, scope: 'schedules:read' },
      { name: 'Connectors', to: '/connectors', Icon: Plug, scope: 'connectors:read' },
      { name: 'Policies', to: '/policies', Icon: ShieldCheck, scope: 'policies:read' },
    ],
  },
  {
    title: 'Watch',
    places: [
      { name: 'Analytics', to: '/analytics', Icon: ChartLine, scope: 'analytics:read' },
      { name: 'Usage', to: '/usage', Icon: Gauge, scope: 'usage:read' },
      { name: 'Alerts', to: '/alerts', Icon: Siren, scope: 'alerts:read' },
      { name: 'Webhooks', to: '/webhooks', Icon: Webhook, scope: 'webhooks:read', letter: 'w' },
      { name: 'Events', to: '/events', Icon: Radio, scope: 'events:read' },
    ],
  },
  {
    title: 'Settings',
    places: [
      { name: 'API keys', to: '/settings/api-keys', Icon: KeyRound, scope: 'keys:read', letter: 'k' },
      { name: 'Settings', to: '/settings/organisation', Icon: Settings, scope: null },
    ],
  },
]
