{{/* Fields of every pod. A Service called ars-worker would set ARS_WORKER_PORT by its link, hence enableServiceLinks. */}}
{{- define "ars.pod" -}}
enableServiceLinks: false
automountServiceAccountToken: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{/* Fields of every container. */}}
{{- define "ars.container" -}}
image: {{ include "ars.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  privileged: false
  capabilities:
    drop: [ALL]
{{- end }}

{{/* The environment of gateways and workers. Argument: root, role. Secrets are files; only their paths are in the environment. */}}
{{- define "ars.env" -}}
{{- $values := .root.Values -}}
- { name: ARS_PUBLIC_URL, value: {{ required "publicUrl is required" $values.publicUrl | quote }} }
- { name: ARS_METRICS_HOST, value: {{ $values.listenAddress | quote }} }
- { name: ARS_ENGINE_INGRESS_URL, value: {{ required "engine.ingressUrl is required" $values.engine.ingressUrl | quote }} }
- { name: ARS_ENGINE_ADMIN_URL, value: {{ required "engine.adminUrl is required" $values.engine.adminUrl | quote }} }
{{- with $values.engine.metricsUrl }}
- { name: ARS_ENGINE_METRICS_URL, value: {{ . | quote }} }
{{- end }}
- { name: ARS_ENGINE_IDENTITY_KEY, value: {{ required "engine.identityKey is required" $values.engine.identityKey | quote }} }
- { name: ARS_ENGINE_PARTITIONS, value: {{ $values.engine.partitions | quote }} }
- { name: ARS_WORKER_URL, value: {{ include "ars.workerUrl" .root | quote }} }
- { name: ARS_WORKER_HOST, value: {{ $values.listenAddress | quote }} }
- { name: ARS_TLS_CERT_FILE, value: /etc/ars/tls/tls.crt }
- { name: ARS_TLS_KEY_FILE, value: /etc/ars/tls/tls.key }
- { name: ARS_DATABASE_URL_FILE, value: /etc/ars/secrets/database-url }
- { name: ARS_DATABASE_AUTH_URL_FILE, value: /etc/ars/secrets/database-auth-url }
- { name: ARS_DATABASE_FEED_URL_FILE, value: /etc/ars/secrets/database-feed-url }
- { name: ARS_REDIS_URL_FILE, value: /etc/ars/secrets/redis-url }
{{- if $values.secrets.keys.otlpHeaders }}
- { name: OTEL_EXPORTER_OTLP_HEADERS_FILE, value: /etc/ars/secrets/otlp-headers }
{{- end }}
{{- if eq .role "worker" }}
- { name: ARS_DATABASE_SYSTEM_URL_FILE, value: /etc/ars/secrets/database-system-url }
{{- else }}
- { name: ARS_HTTP_HOST, value: {{ $values.listenAddress | quote }} }
- { name: ARS_DRAIN_DELAY_MS, value: {{ $values.gateway.drainDelayMs | int | quote }} }
{{- end }}
{{- if $values.backup.enabled }}
- { name: ARS_BACKUPS, value: service }
{{- end }}
{{- if $values.kek.existingSecret }}
- { name: ARS_KEK_FILE, value: /etc/ars/kek/keks }
{{- end }}
{{- if $values.models.existingSecret }}
- { name: ARS_MODELS_FILE, value: /etc/ars/models/models.yaml }
{{- end }}
{{- if $values.ca.existingSecret }}
- { name: NODE_EXTRA_CA_CERTS, value: /etc/ars/ca/ca.crt }
{{- end }}
{{- range $name, $value := $values.settings }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}

{{- define "ars.mounts" -}}
- { name: secrets, mountPath: /etc/ars/secrets, readOnly: true }
- { name: tls, mountPath: /etc/ars/tls, readOnly: true }
{{- if .Values.kek.existingSecret }}
- { name: kek, mountPath: /etc/ars/kek, readOnly: true }
{{- end }}
{{- if .Values.models.existingSecret }}
- { name: models, mountPath: /etc/ars/models, readOnly: true }
{{- end }}
{{- if .Values.ca.existingSecret }}
- { name: ca, mountPath: /etc/ars/ca, readOnly: true }
{{- end }}
- { name: tmp, mountPath: /tmp }
{{- end }}

{{/* Argument: root, role. A pod gets only the keys that its role needs. */}}
{{- define "ars.volumes" -}}
{{- $values := .root.Values -}}
{{- $keys := $values.secrets.keys -}}
- name: secrets
  secret:
    secretName: {{ required "secrets.existingSecret is required" $values.secrets.existingSecret }}
    defaultMode: 0440
    items:
      - { key: {{ $keys.databaseUrl | quote }}, path: database-url }
      - { key: {{ $keys.databaseAuthUrl | quote }}, path: database-auth-url }
      - { key: {{ $keys.databaseFeedUrl | quote }}, path: database-feed-url }
      - { key: {{ $keys.redisUrl | quote }}, path: redis-url }
      {{- if eq .role "worker" }}
      - { key: {{ $keys.databaseSystemUrl | quote }}, path: database-system-url }
      {{- end }}
      {{- with $keys.otlpHeaders }}
      - { key: {{ . | quote }}, path: otlp-headers }
      {{- end }}
- name: tls
  secret:
    secretName: {{ required "tls.existingSecret is required" $values.tls.existingSecret }}
    defaultMode: 0440
    items:
      - { key: tls.crt, path: tls.crt }
      - { key: tls.key, path: tls.key }
{{- with $values.kek }}
{{- if .existingSecret }}
- name: kek
  secret:
    secretName: {{ .existingSecret }}
    defaultMode: 0440
    items: [{ key: {{ .key | quote }}, path: keks }]
{{- end }}
{{- end }}
{{- with $values.models.existingSecret }}
- name: models
  secret: { secretName: {{ . }}, defaultMode: 0440 }
{{- end }}
{{- with $values.ca }}
{{- if .existingSecret }}
- name: ca
  secret:
    secretName: {{ .existingSecret }}
    defaultMode: 0440
    items: [{ key: {{ .key | quote }}, path: ca.crt }]
{{- end }}
{{- end }}
- name: tmp
  emptyDir: { sizeLimit: 64Mi }
{{- end }}

{{/* Argument: root, role. */}}
{{- define "ars.spread" -}}
{{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
- maxSkew: 1
  topologyKey: {{ $key }}
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels:
      {{- include "ars.selector" $.root | nindent 6 }}
      app.kubernetes.io/component: {{ $.role }}
  matchLabelKeys: [pod-template-hash]
{{- end }}
{{- end }}
