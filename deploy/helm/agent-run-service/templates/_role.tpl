{{/* The Deployment of a role. Argument: root, role, own (values of the role), port (name, number), readiness. */}}
{{- define "ars.deployment" -}}
{{- $name := printf "%s-%s" (include "ars.name" .root) .role -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "ars.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
spec:
  {{- if not .own.autoscaling.enabled }}
  replicas: {{ .own.replicas }}
  {{- end }}
  revisionHistoryLimit: 5
  strategy:
    type: RollingUpdate
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  selector:
    matchLabels:
      {{- include "ars.selector" .root | nindent 6 }}
      app.kubernetes.io/component: {{ .role }}
  template:
    metadata:
      labels:
        {{- include "ars.labels" .root | nindent 8 }}
        app.kubernetes.io/component: {{ .role }}
        {{- with .own.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with .own.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      {{- include "ars.pod" .root | nindent 6 }}
      serviceAccountName: {{ include "ars.name" .root }}
      terminationGracePeriodSeconds: {{ .own.terminationGracePeriodSeconds }}
      {{- with .own.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      {{- with .own.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .own.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      topologySpreadConstraints:
        {{- include "ars.spread" . | trim | nindent 8 }}
      containers:
        - name: {{ .role }}
          {{- include "ars.container" .root | nindent 10 }}
          args: [serve, --role, {{ .role }}]
          ports:
            - { name: {{ .port.name }}, containerPort: {{ .port.number }} }
            - { name: metrics, containerPort: 9464 }
          env:
            {{- include "ars.env" . | nindent 12 }}
          startupProbe:
            httpGet: { path: /livez, port: metrics }
            periodSeconds: 2
            failureThreshold: 60
          livenessProbe:
            httpGet: { path: /livez, port: metrics }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            httpGet: {{ .readiness }}
            periodSeconds: 3
            timeoutSeconds: 3
            failureThreshold: 2
          resources:
            {{- toYaml .own.resources | nindent 12 }}
          volumeMounts:
            {{- include "ars.mounts" .root | nindent 12 }}
      volumes:
        {{- include "ars.volumes" . | nindent 8 }}
{{- end }}
