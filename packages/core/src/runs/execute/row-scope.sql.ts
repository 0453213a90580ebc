/** How a statement over several runs finds their heads: those of one organisation, or each with its own. */
export type RowScope = {
  /** A part before the others that locks the heads. */
  locks: string
  /** The first fields of a JSON row, and their names. */
  fields: string
  columns: string
  /** Whether a head `h` belongs to the organisation of the row `n`. */
  isOwn: string
  /** One more condition of a join of a row `n` with its `head`. Two organisations may name the same run. */
  isSameOrg: string
  /** The organisation of a row of `source`. */
  orgOf(source: string): string
}

export const oneOrganisation: RowScope = {
  locks: '',
  fields: '',
  columns: '',
  isOwn: 'h.org_id = :org',
  isSameOrg: '',
  orgOf: () => ':org',
}

/**
 * The heads are locked in the order of organisation and run. A head that another transaction holds is left out, so that the others
 * do not wait for it.
 */
export const severalOrganisations: RowScope = {
  locks: `locked as materialized (
    select h.org_id, h.run_id from unnest(:orgs::uuid[], :runIds::uuid[]) as a (org_id, run_id)
      join run_heads h on h.run_id = any (:runIds::uuid[]) and h.run_id = a.run_id and h.org_id = a.org_id
     order by h.org_id, h.run_id for update of h skip locked
  ), `,
  fields: 'org_id uuid, ',
  columns: 'org_id, ',
  isOwn: '(h.org_id, h.run_id) in (select org_id, run_id from locked) and h.org_id = n.org_id',
  isSameOrg: ' and head.org_id = n.org_id',
  orgOf: (source) => `${source}.org_id`,
}

/** Instead of the one organisation of a statement: that of each run, in the order of `runIds`. */
export type Several<Parameters extends { org: string }> = Omit<Parameters, 'org'> & { orgs: readonly string[] }
