import { Menu as Base } from '@base-ui/react/menu'
import { Check, Columns3 } from 'lucide-react'
import { buttonLook } from './button.tsx'
import { setPreference, usePreferences } from './preferences.ts'

/** Shows and hides columns of a table. The first one stays: it is the link of the row. */
export const ColumnsMenu = ({
  table,
  columns,
}: {
  /** The label of the table. */
  table: string
  columns: readonly { id: string; title: string }[]
}) => {
  const hidden = usePreferences().hidden.split(' ').filter(Boolean)
  const toggle = (name: string) =>
    setPreference(
      'hidden',
      (hidden.includes(name) ? hidden.filter((each) => each !== name) : [...hidden, name]).join(' '),
    )
  return (
    <Base.Root>
      <Base.Trigger className={buttonLook('plain', true)}>
        <Columns3 aria-hidden size={13} /> Columns
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end" className="z-50">
          <Base.Popup className="min-w-44 rounded-lg border border-line bg-raised p-1 shadow-lg outline-none">
            {columns.slice(1).map(({ id, title }) => (
              <Base.CheckboxItem
                key={id}
                checked={!hidden.includes(`${table}.${id}`)}
                onCheckedChange={() => toggle(`${table}.${id}`)}
                className="flex min-h-7 cursor-default items-center gap-2 rounded-md px-2 py-1 outline-none data-highlighted:bg-sunken"
              >
                <span className="w-4">
                  <Base.CheckboxItemIndicator>
                    <Check aria-hidden size={14} />
                  </Base.CheckboxItemIndicator>
                </span>
                {title}
              </Base.CheckboxItem>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
