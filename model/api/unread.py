"""Fields that Kubernetes has and no type here reads, so that those it does not have can be told.

Source: the OpenAPI document of kube-apiserver 1.37.2; fields that only older versions had come last.
"""

from __future__ import annotations

from collections.abc import Mapping

from . import meta, node, pod, policy, storage, volume, workload
from .base import ApiObject

_UNREAD: Mapping[type[ApiObject], str] = {
    meta.ObjectMeta: "deletionGracePeriodSeconds finalizers generation managedFields selfLink"
    " clusterName initializers",
    meta.OwnerReference: "blockOwnerDeletion",
    meta.LocalObjectReference: "apiVersion fieldPath resourceVersion",
    node.NodeSpec: "configSource externalID podCIDR podCIDRs podPreemptionPolicy providerID",
    node.NodeStatus: "addresses config daemonEndpoints features nodeInfo phase runtimeHandlers"
    " volumesAttached volumesInUse",
    node.Taint: "timeAdded",
    node.CSINode: "status",
    node.Namespace: "spec status",
    pod.PodSpec: "activeDeadlineSeconds automountServiceAccountToken dnsConfig dnsPolicy enableServiceLinks"
    " ephemeralContainers evictionResponders hostAliases hostIPC hostPID hostname hostnameOverride"
    " imagePullSecrets nodeName os readinessGates restartPolicy securityContext serviceAccount"
    " serviceAccountName setHostnameAsFQDN shareProcessNamespace subdomain",
    pod.PodStatus: "ephemeralContainerStatuses extendedResourceClaimStatus hostIP hostIPs message"
    " nodeAllocatableResourceClaimStatuses observedGeneration podIP podIPs qosClass reason"
    " resourceClaimStatuses volumeHealth",
    pod.Container: "args command env envFrom imagePullPolicy lifecycle livenessProbe readinessProbe"
    " resizePolicy securityContext startupProbe stdin stdinOnce terminationMessagePath"
    " terminationMessagePolicy tty volumeDevices volumeMounts workingDir",
    pod.ContainerPort: "name",
    pod.Toleration: "tolerationSeconds",
    policy.PriorityClass: "description",
    policy.PodDisruptionBudgetStatus: "conditions observedGeneration",
    policy.Service: "status",
    policy.ServiceSpec: "allocateLoadBalancerNodePorts clusterIP clusterIPs externalIPs externalName"
    " externalTrafficPolicy healthCheckNodePort internalTrafficPolicy ipFamilies ipFamilyPolicy"
    " loadBalancerClass loadBalancerIP loadBalancerSourceRanges ports publishNotReadyAddresses"
    " sessionAffinity sessionAffinityConfig trafficDistribution type"
    " ipFamily topologyKeys",
    storage.PersistentVolumeSpec: "azureFile cephfs fc flexVolume flocker glusterfs hostPath iscsi local"
    " mountOptions nfs persistentVolumeReclaimPolicy photonPersistentDisk quobyte rbd scaleIO storageos"
    " vsphereVolume",
    storage.CsiVolumeSource: "controllerExpandSecretRef controllerPublishSecretRef fsType"
    " nodeExpandSecretRef nodePublishSecretRef nodeStageSecretRef readOnly volumeAttributes",
    storage.PersistentVolumeClaimSpec: "dataSource dataSourceRef",
    storage.PersistentVolumeClaimTemplate: "status",
    storage.StorageClass: "allowVolumeExpansion mountOptions parameters reclaimPolicy",
    storage.CSIDriverSpec: "fsGroupPolicy nodeAllocatableUpdatePeriodSeconds podInfoOnMount"
    " requiresRepublish seLinuxMount serviceAccountTokenInSecrets tokenRequests volumeLifecycleModes",
    volume.Volume: "azureFile cephfs configMap downwardAPI fc flexVolume flocker gitRepo glusterfs nfs"
    " photonPersistentDisk projected quobyte scaleIO secret storageos",
    volume.GcePersistentDisk: "fsType partition",
    volume.AwsElasticBlockStore: "fsType partition",
    volume.RbdVolume: "fsType keyring secretRef user",
    volume.IscsiVolume: "chapAuthDiscovery chapAuthSession fsType initiatorName iscsiInterface portals"
    " secretRef",
    volume.CsiEphemeral: "fsType nodePublishSecretRef readOnly volumeAttributes",
    volume.ImageVolume: "pullPolicy",
    workload.WorkloadSpec: "activeDeadlineSeconds backoffLimit backoffLimitPerIndex concurrencyPolicy"
    " failedJobsHistoryLimit managedBy manualSelector maxFailedIndexes minReadySeconds paused"
    " persistentVolumeClaimRetentionPolicy podFailurePolicy podManagementPolicy podReplacementPolicy"
    " progressDeadlineSeconds revisionHistoryLimit schedule scheduling serviceName"
    " startingDeadlineSeconds strategy successPolicy successfulJobsHistoryLimit timeZone"
    " ttlSecondsAfterFinished updateStrategy"
    " rollbackTo templateGeneration",
}
UNREAD: Mapping[type[ApiObject], frozenset[str]] = {
    model: frozenset(names.split()) for model, names in _UNREAD.items()
}
"""By type, the fields that exist beside those that it reads."""

MACHINE_WRITTEN = frozenset(
    {
        meta.Condition,
        node.ContainerImage,
        pod.ContainerStatus,
        storage.VolumeStatus,
        storage.VolumeAttachmentStatus,
        workload.WorkloadStatus,
    }
)
"""Types that no user spells, and of which there are many: not looked into."""
