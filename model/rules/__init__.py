"""The rules: one module per kube-scheduler plugin, in the order the filters run."""
