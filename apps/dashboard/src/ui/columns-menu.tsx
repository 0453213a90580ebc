import { Columns3 } from 'lucide-react'
import { Menu } from './menu.tsx'
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
    <Menu
      label="Columns"
      isSmall
      items={columns.slice(1).map(({ id, title }) => ({
        label: title,
        isChecked: !hidden.includes(`${table}.${id}`),
        onSelect: () => toggle(`${table}.${id}`),
      }))}
    >
      <Columns3 size={13} /> Columns
    </Menu>
  )
}
