"""kubestow: provably good placements of Kubernetes pods, compared with kube-scheduler's."""

__version__ = "0.1.0"
